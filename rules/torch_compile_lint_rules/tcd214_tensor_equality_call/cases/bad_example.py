import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if torch.allclose(y, x):  # expect: TCD214 "`torch.allclose(...)` answers with a Python bool"
        y = y * 2
    return y - 1


def probe():
    return f, (torch.ones(2, 3),)

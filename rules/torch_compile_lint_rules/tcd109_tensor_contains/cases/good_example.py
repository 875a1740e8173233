import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    found = (y == 3).any()
    return y * found


def probe():
    return f, (torch.ones(2, 3),)

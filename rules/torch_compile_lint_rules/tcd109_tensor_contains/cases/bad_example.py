import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    found = 3 in y  # expect: TCD109 "`in` reads the values of `y`"
    return y * found


def probe():
    return f, (torch.ones(2, 3),)

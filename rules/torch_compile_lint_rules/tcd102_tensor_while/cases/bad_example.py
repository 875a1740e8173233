import torch


@torch.compile
def double_until(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    while y.sum() < 100:  # expect: TCD102 "`while` on the value of `y.sum() < 100`"
        y = y * 2
    return y - 1


def probe():
    return double_until, (torch.ones(2, 3),)

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    empty = not y.sum()  # expect: TCD106 "`not` needs the value of `y.sum()`"
    return y * empty


def probe():
    return f, (torch.ones(2, 3),)

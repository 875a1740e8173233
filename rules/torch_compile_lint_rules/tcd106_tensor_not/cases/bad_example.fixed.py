import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    empty = torch.logical_not(y.sum())
    return y * empty


def probe():
    return f, (torch.ones(2, 3),)

import torch


def double(y):
    return y * 2



@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return double(x + 1) - 1


def probe():
    return f, (torch.ones(2, 3),)

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    length = y.shape[0] * y.shape[1]
    return y.sum() + torch.zeros(length, 2).sum()


def probe():
    return f, (torch.ones(2, 3),)

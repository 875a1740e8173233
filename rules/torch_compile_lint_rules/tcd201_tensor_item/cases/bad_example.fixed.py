import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    total = y.sum().detach()
    return y * total


def probe():
    return f, (torch.ones(2, 3),)

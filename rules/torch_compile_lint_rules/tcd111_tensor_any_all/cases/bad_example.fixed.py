import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    big = torch.logical_or(y.sum() > 100, y.max() > 0)
    return y * big


def probe():
    return f, (torch.ones(2, 3),)

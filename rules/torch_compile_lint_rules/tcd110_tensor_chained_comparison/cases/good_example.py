import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    total = y.sum()
    inside = (total > 0) & (total < 500)
    return y * inside


def probe():
    return f, (torch.ones(2, 3),)

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    positive = y.sum() > 0
    return torch.where(positive, y * 2, y)


def probe():
    return f, (torch.ones(2, 3),)

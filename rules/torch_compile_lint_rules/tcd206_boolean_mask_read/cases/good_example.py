import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x - 2
    positive = torch.where(y > 0, y, 0.0)
    return positive.sum() * 2


def probe():
    return f, (torch.ones(2, 3),)

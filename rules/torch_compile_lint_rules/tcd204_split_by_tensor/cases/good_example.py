import torch


@torch.compile
def f(x: torch.Tensor, sizes=(1, 3)) -> torch.Tensor:
    y = x + 1
    a, b = torch.split(y, list(sizes), dim=1)
    return a.sum() + b.sum() * 2


def probe():
    return f, (torch.ones(2, 4),)

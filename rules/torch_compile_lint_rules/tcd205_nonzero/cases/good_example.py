import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x - 2
    return torch.where(y > 0, y, 0.0) * 2


def probe():
    return f, (torch.ones(2, 3),)

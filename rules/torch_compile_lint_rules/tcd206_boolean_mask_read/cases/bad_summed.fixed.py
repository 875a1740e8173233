import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return x * torch.where(y > 1, y, 0).sum()


def probe():
    return f, (torch.arange(6.0).reshape(2, 3),)

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x - 2
    return y.count_nonzero() + torch.where(y > 0, y, x).sum()


def probe():
    return f, (torch.ones(2, 3),)

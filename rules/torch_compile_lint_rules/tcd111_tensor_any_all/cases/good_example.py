import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    big = torch.stack([y.sum() > 100, y.max() > 0]).any()
    return torch.where(big, y * 2, y)


def probe():
    return f, (torch.ones(2, 3),)

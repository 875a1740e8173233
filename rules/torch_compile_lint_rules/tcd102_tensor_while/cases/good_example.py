import torch


@torch.compile
def double_until(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    for _ in range(8):
        y = torch.where(y.sum() < 100, y * 2, y)
    return y - 1


def probe():
    return double_until, (torch.ones(2, 3),)

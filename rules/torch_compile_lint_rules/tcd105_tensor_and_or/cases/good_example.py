import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    total = y.sum()
    z = torch.where(total == 0, 3.0, total)
    return y * z


def probe():
    return f, (torch.ones(2, 3),)

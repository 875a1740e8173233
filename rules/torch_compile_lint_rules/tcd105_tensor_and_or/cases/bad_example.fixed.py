import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    z = torch.where(y.sum() != 0, y.sum(), 3.0)
    return y * z


def probe():
    return f, (torch.ones(2, 3),)

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x - 2
    return torch.unique(y).sum() * 2  # expect: TCD207 "`torch.unique(...)`"


def probe():
    return f, (torch.ones(2, 3),)

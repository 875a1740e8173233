# torch: 2.9, 2.13, 2.14
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return torch.combinations(y[0]).sum() + y  # expect[2.3-2.13]: TCD219


def probe():
    return f, (torch.ones(2, 3),)

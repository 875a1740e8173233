import torch
from torch.utils.data import default_collate


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return default_collate([x, x + 1]) * 2  # expect: TCD502


def probe():
    return f, (torch.ones(2, 3),)

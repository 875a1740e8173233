# torch: 2.3, 2.6, 2.9, 2.14
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return torch.full((2, 3), y.sum()) + y  # expect[2.3-2.9]: TCD218 "needs the number in `y.sum()`"


def probe():
    return f, (torch.ones(2, 3),)

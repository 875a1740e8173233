# torch: 2.3, 2.6, 2.9, 2.13, 2.14
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if y.is_pinned():  # expect: TCD507
        y = y * 3
    return y * 2


def probe():
    return f, (torch.ones(2, 3),)

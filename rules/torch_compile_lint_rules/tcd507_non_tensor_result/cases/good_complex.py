# torch: 2.6, 2.9, 2.13, 2.14
# Traced since 2.6.
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if y.is_complex():
        y = y * 3
    return y * 2


def probe():
    return f, (torch.ones(2, 3),)

# torch: 2.3, 2.6, 2.9, 2.14
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if y.sum() in (1, 2):  # expect: TCD109 "looking for the tensor `y.sum()`"
        y = y * 2
    return y - 1


def probe():
    return f, (torch.ones(2, 3),)

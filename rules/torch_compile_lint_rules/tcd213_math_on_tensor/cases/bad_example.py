import math

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * math.sqrt(y.sum())  # expect: TCD213 "`math.sqrt` needs the value of the tensor `y.sum()`"


def probe():
    return f, (torch.ones(2, 3),)

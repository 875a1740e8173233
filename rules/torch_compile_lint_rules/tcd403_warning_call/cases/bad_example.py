import warnings

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    warnings.warn("slow path")  # expect: TCD403 "`warnings.warn(...)` warns while"
    return y * 2


def probe():
    return f, (torch.ones(2, 3),)

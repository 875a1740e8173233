import warnings

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if not torch.compiler.is_compiling():
        warnings.warn("slow path")
    return y * 2


def probe():
    return f, (torch.ones(2, 3),)

import copy

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return copy.deepcopy(x) * y  # expect: TCD309 "`copy.deepcopy(x)` copies objects while tracing"


def probe():
    return f, (torch.ones(2, 3),)

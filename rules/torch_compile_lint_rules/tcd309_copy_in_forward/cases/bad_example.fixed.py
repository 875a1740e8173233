import copy

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return x.clone() * y


def probe():
    return f, (torch.ones(2, 3),)

import math

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * torch.sqrt(y.sum().detach())


def probe():
    return f, (torch.ones(2, 3),)

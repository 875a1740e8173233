import importlib

import torch
import math


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    m = math
    return y * m.pi


def probe():
    return f, (torch.ones(2, 3),)

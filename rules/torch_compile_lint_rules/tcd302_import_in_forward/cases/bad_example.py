import importlib

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    m = importlib.import_module("math")  # expect: TCD302 "imports while tracing"
    return y * m.pi


def probe():
    return f, (torch.ones(2, 3),)

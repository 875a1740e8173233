import inspect

import torch


def helper(a, b):
    return a


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return x * len(inspect.signature(helper).parameters)


def probe():
    return f, (torch.ones(2, 3),)

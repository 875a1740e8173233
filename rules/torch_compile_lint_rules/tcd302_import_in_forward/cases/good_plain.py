import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    import math as m
    from functools import reduce

    y = x + 1
    return y * m.pi * reduce(lambda a, b: a + b, [1, 2])


def probe():
    return f, (torch.ones(2, 3),)

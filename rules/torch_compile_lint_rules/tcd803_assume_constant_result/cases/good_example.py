import random

import torch


@torch.compile
def f(x: torch.Tensor, factor: float) -> torch.Tensor:
    return (x + 1) * factor


def draws(x):
    return f(x, random.random())


def probe():
    return f, (torch.ones(2, 3), 0.5)

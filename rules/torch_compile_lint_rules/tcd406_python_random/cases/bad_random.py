# torch: 2.9, 2.13, 2.14
import random

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return (x + 1) * random.random()  # expect[2.3-2.13]: TCD406


NONDETERMINISTIC = True


def probe():
    return f, (torch.ones(2, 3),)

# torch: 2.3, 2.6, 2.9, 2.13, 2.14
import random

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    r = random.uniform(0.0, 1.0)
    return x * r + random.randint(1, 3) + abs(r)


NONDETERMINISTIC = True


def probe():
    return f, (torch.ones(2, 3),)

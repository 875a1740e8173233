import random

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return (x + 1) * random.choice([1, 2, 3])  # expect: TCD406 "draws from Python's generator"


NONDETERMINISTIC = True


def probe():
    return f, (torch.ones(2, 3),)

# torch: 2.13, 2.14
import random

import torch


@torch.compile
def stored(x: torch.Tensor) -> torch.Tensor:
    r = random.random()  # expect[2.13]: TCD406 "draws from"
    y = x + 1
    if r < 0.5:  # expect[2.14]: TCD406 "a jump depends on `r < 0.5`"
        y = y * 2
    return y - 1


@torch.compile
def seeded(x: torch.Tensor) -> torch.Tensor:
    generator = random.Random(3)
    last = generator.randrange(1, 3)
    y = x + 1
    for index in range(4):
        if index > last:  # expect: TCD406 "a jump depends on `index > last`"
            break
        y = y * 2
    return y - 1


@torch.compile
def used(x: torch.Tensor) -> torch.Tensor:
    r = random.uniform(0.0, 1.0)
    return x * r + min(r, 0.5)


NONDETERMINISTIC = True


def probe_stored():
    return stored, (torch.ones(2, 3),)


def probe_seeded():
    return seeded, (torch.ones(2, 3),)

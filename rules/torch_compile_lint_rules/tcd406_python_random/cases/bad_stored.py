# torch: 2.3, 2.6, 2.9, 2.13, 2.14
import random

import torch


@torch.compile
def stored(x: torch.Tensor) -> torch.Tensor:
    r = random.random()  # expect[2.3-2.13]: TCD406 "draws from"
    y = x + 1
    if r < 0.5:  # expect[2.14]: TCD406 "a jump depends on `r < 0.5`"
        y = y * 2
    return y - 1


@torch.compile
def straight(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if random.random() < 0.5:  # expect: TCD406 "`random.random()"
        y = y * 2
    return y - 1


NONDETERMINISTIC = True


def probe_stored():
    return stored, (torch.ones(2, 3),)


def probe_straight():
    return straight, (torch.ones(2, 3),)

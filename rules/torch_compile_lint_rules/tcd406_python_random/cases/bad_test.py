import random

import torch


@torch.compile
def drops(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if random.random() < 0.5:  # expect: TCD406 "a jump depends on `random.random()`"
        y = y * 2
    return y - 1


@torch.compile
def jumps(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * 2 if random.randint(0, 3) > 1 else y * 3  # expect: TCD406 "`random.randint(0, 3)`"


NONDETERMINISTIC = True


def probe_drops():
    return drops, (torch.ones(2, 3),)


def probe_jumps():
    return jumps, (torch.ones(2, 3),)

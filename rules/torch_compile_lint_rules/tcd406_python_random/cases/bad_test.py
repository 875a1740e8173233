# torch: 2.3, 2.6, 2.9, 2.13, 2.14
import random

import torch


@torch.compile
def jumps(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * 2 if random.randint(0, 3) > 1 else y * 3  # expect: TCD406 "`random.randint(0, 3) > 1`"


@torch.compile
def equal(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    n = random.randrange(3)
    if n == 2:  # expect: TCD406 "a jump depends on `n == 2`"
        y = y * 2
    return y - 1


@torch.compile
def truth(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    n = random.randint(0, 1)
    if n:  # expect: TCD406 "a jump depends on `n`"
        y = y * 2
    return y - 1


@torch.compile
def jitters(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * (1 + random.uniform(-0.1, 0.1)) + 3  # expect: TCD406 "Python's operators"


@torch.compile
def among(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    n = random.randint(1, 3)
    if n in (1, 2):  # expect: TCD406 "`n in (1, 2)`"
        y = y * 2
    return y - 1


NONDETERMINISTIC = True


def probe_jumps():
    return jumps, (torch.ones(2, 3),)


def probe_equal():
    return equal, (torch.ones(2, 3),)


def probe_truth():
    return truth, (torch.ones(2, 3),)


def probe_jitters():
    return jitters, (torch.ones(2, 3),)


def probe_among():
    return among, (torch.ones(2, 3),)

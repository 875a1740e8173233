# torch: 2.3, 2.6, 2.9, 2.13, 2.14
import random

import torch

GENERATOR = random.Random(3)


@torch.compile
def chooses(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * GENERATOR.choice([1, 2]) - 1  # expect: TCD406 "draws from a generator of your own"


@torch.compile
def bits(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * GENERATOR.getrandbits(3) - 1  # expect: TCD406


NONDETERMINISTIC = True


def probe_chooses():
    return chooses, (torch.ones(2, 3),)


def probe_bits():
    return bits, (torch.ones(2, 3),)

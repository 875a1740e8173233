# torch: 2.3, 2.6, 2.9, 2.13, 2.14
import random

import torch

GENERATOR = random.Random(3)


@torch.compile
def uses(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    last = GENERATOR.randrange(1, 3)  # expect[2.3]: TCD406 "a generator of your own"
    for index in range(4):
        if index > last:  # expect[2.6-]: TCD406 "a jump depends on `index > last`"
            break
        y = y * 2
    return y - 1


@torch.compile
def makes(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    generator = random.Random(3)  # expect[2.3]: TCD406 "makes a generator"
    share = generator.random()  # expect[2.3]: TCD406
    if share < 0.5:  # expect[2.6-]: TCD406 "a jump depends on `share < 0.5`"
        y = y * 2
    return y - 1


NONDETERMINISTIC = True


def probe_uses():
    return uses, (torch.ones(2, 3),)


def probe_makes():
    return makes, (torch.ones(2, 3),)

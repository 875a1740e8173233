import random

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return (x + torch.rand(3)) * random.randint(0, 9) + torch.nn.functional.dropout(x, 0.5, True)


NONDETERMINISTIC = True


def probe():
    return f, (torch.ones(2, 3),)

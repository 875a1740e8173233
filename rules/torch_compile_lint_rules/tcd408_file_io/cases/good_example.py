import os

import torch

FAST = os.path.exists("/dev/null")


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if FAST:
        y = y * 2
    return y


def probe():
    return f, (torch.ones(2, 3),)

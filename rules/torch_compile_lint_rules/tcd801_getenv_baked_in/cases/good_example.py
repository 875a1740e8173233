import os

import torch

SCALE = float(os.getenv("TCLINT_SCALE", "5"))


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return (x + 1) * SCALE


def probe():
    return f, (torch.ones(2, 3),)

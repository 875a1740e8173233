import os

import torch

DOUBLE = os.environ.get("TCLINT_CASE", "0") == "1"


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if DOUBLE:
        y = y * 2
    return y


def probe():
    return f, (torch.ones(2, 3),)

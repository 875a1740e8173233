import os

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if os.path.exists("/dev/null"):  # expect: TCD408 "asks the file system"
        y = y * 2
    return y


def probe():
    return f, (torch.ones(2, 3),)

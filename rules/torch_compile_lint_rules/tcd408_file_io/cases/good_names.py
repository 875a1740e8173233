import os

import torch


@torch.compile
def f(x: torch.Tensor, paths=("a", "b")) -> torch.Tensor:
    return x * len(os.path.join(*paths)) * len(os.path.basename("a/b"))


def probe():
    return f, (torch.ones(2, 3),)

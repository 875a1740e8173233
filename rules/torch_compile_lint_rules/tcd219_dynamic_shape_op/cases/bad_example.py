import numpy as np
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y + len(np.nonzero(y.numpy())[0])  # expect: TCD219


def probe():
    return f, (torch.ones(2, 3),)

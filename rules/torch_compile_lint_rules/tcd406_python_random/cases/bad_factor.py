import numpy as np
import torch

NONDETERMINISTIC = True


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    noise = np.random.rand()  # expect: TCD406 "numpy's generator"
    return y * noise


def probe():
    return f, (torch.ones(2, 3),)

import numpy as np
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    total = float(y.numpy().sum())  # expect: TCD202 "`float`"
    return y.view(int(np.prod(y.shape))) * total  # expect: TCD202 "`np.prod(y.shape)`"


def probe():
    return f, (torch.ones(2, 3),)

import numpy as np
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return (x + 1) * float(np.random.rand())  # expect: TCD406 "numpy's generator"


NONDETERMINISTIC = True


def probe():
    return f, (torch.ones(2, 3),)

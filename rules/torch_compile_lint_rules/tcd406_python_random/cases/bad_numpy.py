import numpy as np
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x * float(np.random.rand())  # expect: TCD406 "numpy's generator"
    y = y + np.random.uniform(0, 1)  # expect: TCD406
    return y + torch.as_tensor(np.random.permutation(3))  # expect: TCD406


NONDETERMINISTIC = True


def probe():
    return f, (torch.ones(2, 3),)

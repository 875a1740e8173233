import numpy as np
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    noise = torch.as_tensor(np.random.uniform(0, 1, (3,)), dtype=torch.float32)
    return x + noise + torch.as_tensor(np.random.normal(size=3)) + torch.as_tensor(np.random.rand(3))


NONDETERMINISTIC = True


def probe():
    return f, (torch.ones(2, 3),)

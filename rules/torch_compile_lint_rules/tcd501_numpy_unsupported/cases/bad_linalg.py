import numpy as np
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    a = np.asanyarray(y.numpy())  # expect: TCD501 "`np.asanyarray(...)` is missing"
    return y * torch.as_tensor(np.linalg.norm(a))


@torch.compile
def norm(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    n = np.linalg.vector_norm(y.numpy())  # expect: TCD501 "`np.linalg.vector_norm(...)` is missing"
    return y * n


def probe():
    return f, (torch.ones(2, 3),)

# numpy 2: the array API's names are the same objects as the old ones.
import numpy as np
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    a = x.numpy()
    return x * torch.as_tensor(np.concat([a, a])[:3] + np.pow(a, 2))


def probe():
    if not hasattr(np, "concat"):
        return "ok"
    return f, (torch.ones(3),)

import numpy as np
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    a = y.detach().cpu().numpy()
    s = np.sum(a) + np.mean(a) + np.sin(a).max() + np.where(a > 0, 1, 0).sum()
    return y * torch.as_tensor(s) / np.sqrt(64) * torch.from_numpy(np.array([1.0, 2.0, 3.0], dtype=np.float32))


def probe():
    return f, (torch.ones(2, 3),)

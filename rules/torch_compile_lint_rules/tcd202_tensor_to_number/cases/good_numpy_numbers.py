# torch: 2.13, 2.14
import numpy as np
import torch


@torch.compile
def rounded(x: torch.Tensor, width: int) -> torch.Tensor:
    scale = x.shape[0] ** 0.5
    return x * int(np.round(width / scale)) + int(np.ceil(x.shape[1] / 2)) + float(np.sqrt(width))


def probe_rounded():
    return rounded, (torch.ones(2, 3), 5)

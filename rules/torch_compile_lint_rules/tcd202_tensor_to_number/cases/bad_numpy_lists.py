# torch: 2.13, 2.14
import numpy as np
import torch


@torch.compile
def summed(x: torch.Tensor, sizes: list[int]) -> torch.Tensor:
    y = x + 1
    return y * int(np.sum(sizes[:2]))  # expect: TCD202


def probe_summed():
    return summed, (torch.ones(2, 3), [1, 2, 3])

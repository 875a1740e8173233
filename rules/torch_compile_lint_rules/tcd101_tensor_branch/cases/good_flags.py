# torch: 2.6, 2.13, 2.14
import torch


@torch.compile
def choose(x: torch.Tensor, strict: bool, wide: bool) -> torch.Tensor:
    full = strict and x.shape[0] > 2
    return x + 1 if full or not wide else x - 1


def probe_choose():
    return choose, (torch.ones(2, 3), True, False)

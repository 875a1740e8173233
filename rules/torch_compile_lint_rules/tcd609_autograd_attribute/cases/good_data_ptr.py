# torch: 2.6, 2.9, 2.13, 2.14
import torch


@torch.compile
def pointer(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    kept = (y * 2, y.data_ptr())
    return kept[0]


def probe():
    return pointer, (torch.ones(4),)

# torch: 2.6, 2.9, 2.13, 2.14
import torch


@torch.compile
def pointer(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    kept = (y * 2, y.data_ptr())
    return kept[0]


def probe():
    return pointer, (torch.ones(4),)


@torch.compile
def other_value(x: torch.Tensor) -> torch.Tensor:
    number = x.data_ptr()
    number = 3
    return x * (number + 1)


def probe_other_value():
    return other_value, (torch.ones(4),)

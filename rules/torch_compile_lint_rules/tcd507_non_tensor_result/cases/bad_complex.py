# torch: 2.3
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if y.is_complex():  # expect: TCD507
        y = y * 3
    y = y * 2
    if y.is_inference():  # expect: TCD507
        y = y * 3
    return y * 2


def probe():
    return f, (torch.ones(2, 3),)

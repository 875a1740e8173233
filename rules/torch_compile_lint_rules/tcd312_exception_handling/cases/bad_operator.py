# torch: 2.9, 2.13, 2.14
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        y = y @ y
    except RuntimeError:  # expect[2.3-2.13]: TCD312 "`except RuntimeError` around tensor operators"
        y = y * 2
    return y


def probe():
    return f, (torch.ones(2, 3),)

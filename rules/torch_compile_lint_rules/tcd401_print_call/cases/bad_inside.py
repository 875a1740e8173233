# What stands inside of a print breaks by itself, and goes with it.
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x.sum()
    print(y.item())  # expect: TCD401, TCD201
    return x + 1


def probe():
    return f, (torch.ones(2, 3),)

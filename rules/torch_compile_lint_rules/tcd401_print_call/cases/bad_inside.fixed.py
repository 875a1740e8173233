# What stands inside of a print breaks by itself, and goes with it.
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x.sum()
    if not torch.compiler.is_compiling():
        print(y.item())
    return x + 1


def probe():
    return f, (torch.ones(2, 3),)

import torch
import math


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        import no_such_module_anywhere

        y = y * no_such_module_anywhere.scale
    except ImportError:
        y = y * 2
    return y * math.pi


def probe():
    return f, (torch.ones(2, 3),)

from warnings import warn

import torch


@torch.compile
def f(x: torch.Tensor, old: bool = True) -> torch.Tensor:
    if not torch.compiler.is_compiling() and old:
        warn("old argument", DeprecationWarning, stacklevel=2)
    return x * 2


def probe():
    return f, (torch.ones(2, 3),)

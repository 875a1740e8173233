from warnings import warn

import torch


@torch.compile
def f(x: torch.Tensor, old: bool = True) -> torch.Tensor:
    if old:
        warn("old argument", DeprecationWarning, stacklevel=2)  # expect: TCD403
    return x * 2


def probe():
    return f, (torch.ones(2, 3),)

import torch


@torch.compile
def bounded(x: torch.Tensor, limit: int = 50):
    y = x + 1
    while limit and not (y > 100).all():  # expect: TCD102 "`(y > 100).all()`"
        y = y * 2
    return y


def probe():
    return bounded, (torch.ones(2),)

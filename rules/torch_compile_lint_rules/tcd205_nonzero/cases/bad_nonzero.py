import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x - 2
    index = y.nonzero()  # expect: TCD205
    return y.sum() + index.sum()


def probe():
    return f, (torch.ones(2, 3),)

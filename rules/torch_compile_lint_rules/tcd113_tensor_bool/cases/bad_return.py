import torch


@torch.compile
def f(x: torch.Tensor):
    y = x + 1
    return y, bool(torch.isnan(y).any())  # expect: TCD113


def probe():
    return f, (torch.ones(2, 3),)

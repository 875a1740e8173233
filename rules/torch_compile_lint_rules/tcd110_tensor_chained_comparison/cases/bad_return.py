import torch


@torch.compile
def f(x: torch.Tensor, low: float = 0.0):
    y = x + 1
    return y, low <= y.mean() <= 3.0  # expect: TCD110


def probe():
    return f, (torch.ones(2, 3),)

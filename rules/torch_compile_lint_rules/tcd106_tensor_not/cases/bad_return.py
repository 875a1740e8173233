import torch


@torch.compile
def f(x: torch.Tensor):
    y = x + 1
    return y, not (y > 0).all()  # expect: TCD106


def probe():
    return f, (torch.ones(2, 3),)

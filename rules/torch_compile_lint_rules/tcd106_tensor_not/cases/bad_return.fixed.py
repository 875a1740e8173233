import torch


@torch.compile
def f(x: torch.Tensor):
    y = x + 1
    return y, torch.logical_not((y > 0).all())


def probe():
    return f, (torch.ones(2, 3),)

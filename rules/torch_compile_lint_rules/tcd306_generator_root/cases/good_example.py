import torch


@torch.compile
def f(x: torch.Tensor):
    y = x + 1
    return [y * 2, y * 3]


def probe():
    return f, (torch.ones(2, 3),)

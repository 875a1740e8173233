import torch


class Options:
    def __init__(self, scale):
        self.scale = scale
        self.extra = 5



@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * Options(3).extra


def probe():
    return f, (torch.ones(2, 3),)

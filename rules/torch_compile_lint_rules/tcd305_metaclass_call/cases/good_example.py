import torch


class Options:
    def __init__(self, scale):
        self.scale = scale
        self.extra = 5



@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    options = Options(3)
    return y * options.scale * options.extra


def probe():
    return f, (torch.ones(2, 3),)

import torch


class Config:
    scale = 2


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1

    return y * Config.scale


def probe():
    return f, (torch.ones(2, 3),)

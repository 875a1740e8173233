import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    for i in range(3):
        y = y + i
    return y * 2


def probe():
    return f, (torch.ones(2, 3),)

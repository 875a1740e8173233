import torch


def helper(y):
    return y * 2


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    for _ in range(4):
        x = helper(x + 1)
    return x - 1


def probe():
    return f, (torch.ones(2, 3),)

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    queue = sorted([3, 1, 2])
    return (x + 1) * queue[0]


def probe():
    return f, (torch.ones(2, 3),)

import torch


@torch.compile
def accumulate(x: torch.Tensor, steps: int) -> torch.Tensor:
    y = x + 1
    for i in range(steps):
        y = y + i
    return y * 2


def probe():
    return accumulate, (torch.ones(2), 3)

import torch


def parts(x):
    for i in range(3):
        yield x * i



@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    for part in parts(y):
        y = y + part
    return sum(t * 2 for t in [x, y]) - 1


def probe():
    return f, (torch.ones(2, 3),)

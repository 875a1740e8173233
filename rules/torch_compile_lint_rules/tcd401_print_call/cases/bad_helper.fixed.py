import torch


def report(y):
    y = y * 2
    if not torch.compiler.is_compiling():
        print(y.shape)
    return y + 1


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    for _ in range(4):
        y = report(y)
    return y


def probe():
    return f, (torch.ones(2, 3),)

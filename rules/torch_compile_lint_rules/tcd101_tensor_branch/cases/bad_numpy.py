import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if y.numpy().sum() > 0:  # expect: TCD101 "`y.numpy().sum() > 0`"
        y = y * 2
    return y - 1


def probe():
    return f, (torch.ones(2, 3),)

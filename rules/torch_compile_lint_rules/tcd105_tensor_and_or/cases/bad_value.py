import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    z = y.sum() and y.max()  # expect: TCD105 "`and` takes the truth of `y.sum()`"
    return y * z


def probe():
    return f, (torch.ones(2, 3),)

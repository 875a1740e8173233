import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    z = y.sum() or 3.0  # expect: TCD105 "`or` takes the truth of `y.sum()`"
    return y * z


def probe():
    return f, (torch.ones(2, 3),)

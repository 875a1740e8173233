import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return x * y[y > 1].sum()  # expect: TCD206 "y[y > 1]"


def probe():
    return f, (torch.arange(6.0).reshape(2, 3),)

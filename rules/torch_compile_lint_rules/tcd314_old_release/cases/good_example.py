import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x**2
    torch._check(x.dim() == 2)
    return y * 3


def probe():
    return f, (torch.ones(2, 3),)

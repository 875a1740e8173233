import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return torch.func.grad(lambda z: (z * z).sum())(x) * 2


def probe():
    return f, (torch.ones(2, 3),)

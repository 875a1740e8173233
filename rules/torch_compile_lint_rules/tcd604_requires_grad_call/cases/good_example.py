import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return (x + 1) * 2


def probe():
    return f, (torch.ones(2, 3).requires_grad_(),)

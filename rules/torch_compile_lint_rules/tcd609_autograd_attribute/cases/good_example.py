import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if y.requires_grad and not y.is_leaf:
        y = y * 3
    return y * 2


def probe():
    return f, (torch.ones(2, 3).requires_grad_(),)

# torch: 2.9, 2.14
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y.register_hook(lambda g: g * 2)  # expect[2.3-2.9]: TCD606
    return y * 2


def probe():
    return f, (torch.ones(2, 3).requires_grad_(),)

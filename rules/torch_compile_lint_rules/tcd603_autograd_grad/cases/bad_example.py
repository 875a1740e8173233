import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = (x * x).sum()
    (g,) = torch.autograd.grad(y, x)  # expect: TCD603
    return g * 2


def probe():
    return f, (torch.ones(2, 3).requires_grad_(),)

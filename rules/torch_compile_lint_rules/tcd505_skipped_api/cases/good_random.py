# torch: 2.3, 2.6, 2.9, 2.13, 2.14
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y.normal_()
    y.uniform_()
    return y + torch.randint_like(y, 5) + torch.randint(0, 5, y.shape)


def probe():
    return f, (torch.ones(2, 3),)

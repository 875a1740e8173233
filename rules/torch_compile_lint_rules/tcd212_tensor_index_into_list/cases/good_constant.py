# torch: 2.3, 2.6, 2.9, 2.13, 2.14
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    at = torch.tensor(1)
    return y * y[at] * x[torch.tensor(0)]


def probe():
    return f, (torch.ones(2, 3),)

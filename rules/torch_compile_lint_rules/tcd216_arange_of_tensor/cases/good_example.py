# torch: 2.3, 2.14
import torch


@torch.compile
def f(x: torch.Tensor, count: int = 3) -> torch.Tensor:
    y = x + 1
    total = torch.arange(count).sum() + torch.arange(x.shape[0]).sum()
    return y.sum() + total + torch.arange(x.size(1)).sum()


def probe():
    return f, (torch.ones(2, 3),)

# torch: 2.3, 2.6, 2.9, 2.13, 2.14
import torch


@torch.compile
def cov(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return torch.cov(y) * 2 + y.corrcoef()  # expect: TCD214, TCD214


def probe():
    return cov, (torch.rand(3, 4),)

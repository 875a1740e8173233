# torch: 2.13, 2.14
# Traced since 2.13.
import torch


@torch.compile
def quantile(x: torch.Tensor, share: float = 0.9) -> torch.Tensor:
    y = x + 1
    low = y.quantile(0.1)
    y = y * 2
    high = torch.nanquantile(y, q=share)
    y = y * 2
    several = torch.quantile(y, torch.tensor([0.2, 0.4]))
    return low + high + several


def probe():
    return quantile, (torch.rand(2, 4),)

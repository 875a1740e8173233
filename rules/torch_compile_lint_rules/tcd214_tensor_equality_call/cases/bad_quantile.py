# torch: 2.3, 2.6, 2.9
import torch


@torch.compile
def quantile(x: torch.Tensor, share: float = 0.9) -> torch.Tensor:
    y = x + 1
    low = y.quantile(0.1)  # expect: TCD214 "`y.quantile(...)` checks the range of `q` inside"
    y = y * 2
    high = torch.nanquantile(y, q=share)  # expect: TCD214
    y = y * 2
    several = torch.quantile(y, torch.tensor([0.2, 0.4]))  # expect: TCD214
    return low + high + several


def probe():
    return quantile, (torch.rand(2, 4),)

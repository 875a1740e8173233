# torch: 2.3, 2.6, 2.9
import torch


@torch.compile
def f(x: torch.Tensor, sizes: torch.Tensor) -> torch.Tensor:
    y = x + 1
    a, b = torch.split(y, sizes.tolist(), dim=1)  # expect[2.6]: TCD204 "sizes out of a tensor"
    return a.sum() + b.sum() * 2

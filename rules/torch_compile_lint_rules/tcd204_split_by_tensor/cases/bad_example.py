# torch: 2.3, 2.6, 2.9, 2.14
import torch


@torch.compile
def f(x: torch.Tensor, sizes: torch.Tensor) -> torch.Tensor:
    y = x + 1
    a, b = torch.split(  # expect[2.6]: TCD204 "sizes out of a tensor"
        y,
        sizes.tolist(),  # expect[2.13-]: TCD203
        dim=1,
    )
    return a.sum() + b.sum() * 2


def probe():
    return f, (torch.ones(2, 5), torch.tensor([2, 3]))

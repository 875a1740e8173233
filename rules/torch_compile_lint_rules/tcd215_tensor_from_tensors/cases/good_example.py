# torch: 2.3, 2.14
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    pair = torch.stack([y.sum(), y.max()])
    return y * pair[0] * torch.tensor([1.0, 2.0]).sum() * torch.tensor(y.sum())


def probe():
    return f, (torch.ones(2, 3),)

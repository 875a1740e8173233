import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return torch.histc(x, bins=4, min=0, max=4) * 2


def probe():
    return f, (torch.ones(2, 3),)

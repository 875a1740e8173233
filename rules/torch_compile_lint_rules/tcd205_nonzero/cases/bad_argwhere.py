import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x - 2
    return torch.argwhere(y).sum() + torch.nonzero(y, as_tuple=False).sum()  # expect: TCD205, TCD205


def probe():
    return f, (torch.ones(2, 3),)

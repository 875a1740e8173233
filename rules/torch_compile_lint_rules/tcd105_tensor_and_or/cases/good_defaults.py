import torch


@torch.compile
def f(x: torch.Tensor, dim: int = 0, self_norm: bool = True) -> torch.Tensor:
    dim = dim or -1
    y = x.sum(dim)
    keep = self_norm and x.shape[0] > 1
    last = self_norm and y
    return y * 2 if keep else last


def probe():
    return f, (torch.ones(2, 3),)

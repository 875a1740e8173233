import torch


@torch.compile
def f(x: torch.Tensor, n: int = 2) -> torch.Tensor:
    y = x + 1
    return y.repeat_interleave(2, dim=0) * torch.repeat_interleave(y, n, dim=0)


def probe():
    return f, (torch.ones(2, 3),)

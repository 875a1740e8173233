import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * y.mean().detach().float()


def probe():
    return f, (torch.ones(2, 3),)

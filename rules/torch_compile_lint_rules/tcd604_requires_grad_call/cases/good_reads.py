import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x * 2 if x.requires_grad else x
    return y.detach() * 2


def probe():
    return f, (torch.ones(2, 3),)

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    code = 4 if x.shape[0] == 2 else 0
    return y * code


def probe():
    return f, (torch.ones(2, 3),)

from math import exp, floor

import torch


@torch.compile
def f(x: torch.Tensor, limit: torch.Tensor) -> torch.Tensor:
    return x * torch.exp(limit.detach()) + floor(limit)


def probe():
    return f, (torch.ones(2, 3), torch.tensor(1.5))

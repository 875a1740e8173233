from math import exp, floor

import torch


@torch.compile
def f(x: torch.Tensor, limit: torch.Tensor) -> torch.Tensor:
    return x * exp(limit) + floor(limit)  # expect: TCD213, TCD213


def probe():
    return f, (torch.ones(2, 3), torch.tensor(1.5))

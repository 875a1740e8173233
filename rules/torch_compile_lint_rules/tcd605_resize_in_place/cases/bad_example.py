import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    z = torch.empty(0)
    z.resize_(2, 3)  # expect: TCD605
    z.copy_(x + 1)
    return z * 2


def probe():
    return f, (torch.ones(2, 3),)

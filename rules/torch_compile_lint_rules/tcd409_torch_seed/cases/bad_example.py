import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    torch.manual_seed(3)  # expect: TCD409 "sets the seed"
    return y * torch.rand(3)


def probe():
    return f, (torch.ones(2, 3),)

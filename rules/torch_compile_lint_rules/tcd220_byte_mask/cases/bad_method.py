import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return x.where((x > 0.5).byte(), x + 1)  # expect: TCD220 "raises under torch.compile"


def probe():
    return f, (torch.ones(3),)

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return x + torch.initial_seed() % 7  # expect: TCD409 "asks for the seed: graph break"


def probe():
    return f, (torch.zeros(2),)

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return x + torch.seed() % 1000003  # expect: TCD409 "gives the number of the first call again in every call"


def probe():
    return f, [(torch.zeros(2),)] * 3

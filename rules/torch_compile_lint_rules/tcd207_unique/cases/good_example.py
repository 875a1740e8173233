import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x - 2
    ordered = y.flatten().sort().values
    first = torch.ones_like(ordered, dtype=torch.bool)
    first[1:] = ordered[1:] != ordered[:-1]
    return torch.where(first, ordered, 0.0).sum() * 2


def probe():
    return f, (torch.ones(2, 3),)

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return sum([row for row in y if not (row == 0).any()])  # expect: TCD114


def probe():
    return f, (torch.ones(2, 3),)

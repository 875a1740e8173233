import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x - 2
    positive = y[y > 0]  # expect: TCD206 "`y[y > 0]` selects by a boolean mask"
    return positive.sum() * 2


def probe():
    return f, (torch.ones(2, 3),)

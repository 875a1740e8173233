import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y = y * (y.sum() not in (1, 2))  # expect: TCD109
    return y - 1


def probe():
    return f, (torch.ones(2, 3),)

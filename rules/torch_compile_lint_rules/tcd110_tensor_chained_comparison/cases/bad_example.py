import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    inside = 0 < y.sum() < 500  # expect: TCD110 "truth of `0 < y.sum() < 500`"
    return y * inside


def probe():
    return f, (torch.ones(2, 3),)

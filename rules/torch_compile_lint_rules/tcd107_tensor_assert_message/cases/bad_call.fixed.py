import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    assert (y > 0).all(), "bad {}"
    return y * 2


def probe():
    return f, (torch.ones(2, 3),)

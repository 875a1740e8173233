import torch


@torch.compile
def scale(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    z = y * 2 if y.sum() > 0 else y  # expect: TCD104 "on the value of `y.sum() > 0`"
    return z - 1


def probe():
    return scale, (torch.ones(2, 3),)

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    length = y.sum().long()
    return y.sum() + torch.zeros(length, 2).sum()  # expect: TCD218 "`torch.zeros` needs the value of `length`"


def probe():
    return f, (torch.ones(2, 3),)

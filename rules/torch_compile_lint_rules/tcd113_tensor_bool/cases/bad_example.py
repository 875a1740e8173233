import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    positive = bool(y.sum() > 0)  # expect: TCD113 "`bool` needs the value of `y.sum() > 0`"
    return y * 2 if positive else y


def probe():
    return f, (torch.ones(2, 3),)

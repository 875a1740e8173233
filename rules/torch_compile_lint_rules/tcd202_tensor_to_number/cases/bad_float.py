import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * float(y.mean())  # expect: TCD202 "`float`"


def probe():
    return f, (torch.ones(2, 3),)

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    parts = [y[1].sum(), y[0].sum()]
    parts.sort()  # expect: TCD112 "`sort`"
    return y * parts[0]


def probe():
    return f, (torch.ones(2, 3),)

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    sizes = sorted([3, 1, 2], key=lambda v: -v)
    sizes.sort()
    top = max([y[0].sum(), y[1].sum()]) + max(y[0].sum(), y[1].sum()) + max(y.sum(), 0) + min(y.sum(), y.max())
    values, order = y.sort()
    return values * top * sizes[0] + torch.sort(y)[0]


def probe():
    return f, (torch.ones(2, 3),)

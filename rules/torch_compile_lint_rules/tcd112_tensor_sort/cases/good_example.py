import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    ordered = torch.sort(torch.stack([y[1].sum(), y[0].sum()])).values
    return y * ordered[0]


def probe():
    return f, (torch.ones(2, 3),)

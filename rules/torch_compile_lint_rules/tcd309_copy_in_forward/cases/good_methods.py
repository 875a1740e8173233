import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x.clone().detach()
    options = dict(a=1).copy()
    rows = list([1, 2]).copy()
    return y.copy_(x) * options["a"] * rows[0]


def probe():
    return f, (torch.ones(2, 3),)

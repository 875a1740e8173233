import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    ordered = sorted([y[1].sum(), y[0].sum()])  # expect: TCD112 "`sorted` compares the values"
    return y * ordered[0]


def probe():
    return f, (torch.ones(2, 3),)

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    assert y.sum() > 0, f"negative: {y.sum()}"  # expect: TCD107 "`assert` on the value of `y.sum() > 0`"
    return y * 2


def probe():
    return f, (torch.ones(2, 3),)

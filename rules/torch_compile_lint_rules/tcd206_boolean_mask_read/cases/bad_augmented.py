import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x - 2
    y[y > 0] += 1  # expect: TCD206 "`y[y > 0]`"
    return y * 2


def probe():
    return f, (torch.ones(2, 3),)

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x.long().flatten()
    return y.bincount(minlength=8) * 2  # expect: TCD208


def probe():
    return f, (torch.ones(2, 3),)

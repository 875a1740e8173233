import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    big = any([y.sum() > 100, y.max() > 0])  # expect: TCD111 "`any` takes the truth"
    return y * big


def probe():
    return f, (torch.ones(2, 3),)

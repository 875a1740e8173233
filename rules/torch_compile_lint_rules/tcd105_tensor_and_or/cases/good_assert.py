import torch


@torch.compile
def f(x: torch.Tensor, flag: bool = True, off: bool = False) -> torch.Tensor:
    low = x.min()
    high = x.max()
    assert flag and low > 0, "bad"
    assert off or high > 0
    assert torch.logical_and(low > 0, high > 0), "bad"
    return x + low


def probe():
    return f, (torch.ones(2),)

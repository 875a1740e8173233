import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    assert y.sum() > 0
    assert (y > 0).all(), "all positive"
    assert x.shape[0] == 2, f"bad {x.shape}"
    assert x.dim() == 2 and y is not None, f"bad {x.dim()}"
    return y * 2


def probe():
    return f, (torch.ones(2, 3),)

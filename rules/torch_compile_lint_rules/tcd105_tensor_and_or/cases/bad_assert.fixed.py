import torch


@torch.compile
def f(x: torch.Tensor, flag: bool = True) -> torch.Tensor:
    low = x.min()
    assert torch.where(low.isnan() == 0, flag, low.isnan() == 0), "bad"
    return x + low


@torch.compile
def g(x: torch.Tensor) -> torch.Tensor:
    low = x.min()
    high = x.max()
    assert torch.logical_or(low > 0, high > 0)
    return x + low


@torch.compile
def h(x: torch.Tensor, flag: bool = True) -> torch.Tensor:
    low = x.min()
    assert flag and (torch.where(low > 0, low > 0, flag))
    return x + low


def probe():
    return f, (torch.ones(2),)


def probe_or():
    return g, (torch.ones(2),)


def probe_nested():
    return h, (torch.ones(2),)

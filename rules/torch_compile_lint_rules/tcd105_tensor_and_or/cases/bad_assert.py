import torch


@torch.compile
def f(x: torch.Tensor, flag: bool = True) -> torch.Tensor:
    low = x.min()
    assert low.isnan() == 0 and flag, "bad"  # expect: TCD105 "`and` takes the truth of `low.isnan() == 0`"
    return x + low


@torch.compile
def g(x: torch.Tensor) -> torch.Tensor:
    low = x.min()
    high = x.max()
    assert low > 0 or high > 0  # expect: TCD105 "`or` takes the truth of `low > 0`"
    return x + low


@torch.compile
def h(x: torch.Tensor, flag: bool = True) -> torch.Tensor:
    low = x.min()
    assert flag and (low > 0 or flag)  # expect: TCD105 "`or` takes the truth of `low > 0`"
    return x + low


def probe():
    return f, (torch.ones(2),)


def probe_or():
    return g, (torch.ones(2),)


def probe_nested():
    return h, (torch.ones(2),)

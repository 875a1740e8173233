import torch


@torch.compile
def f(x: torch.Tensor):
    y = x + 1
    yield y * 2  # expect: TCD306 "`f` is a generator"
    yield y * 3


def probe():
    return f, (torch.ones(2, 3),)

import torch


@torch.compile
def f(x: torch.Tensor):
    y = x + 1
    same = torch.equal(y, x)  # expect: TCD214
    return y * 2, same or y.allclose(x)  # expect: TCD214


def probe():
    return f, (torch.ones(2, 3),)

import torch


@torch.compile
def f(x: torch.Tensor):
    y = x + 1
    text = format(y.mean(), ".2f")  # expect: TCD217 "raises under torch.compile"
    return y * 2, text


def probe():
    return f, (torch.ones(2, 3),)

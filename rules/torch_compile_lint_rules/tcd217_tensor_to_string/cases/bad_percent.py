import torch


@torch.compile
def f(x: torch.Tensor):
    y = x + 1
    text = "mean %s of %d" % (y.mean(), 3)  # expect: TCD217 "`%` needs the values of `y.mean()`"
    return y * 2, text


def probe():
    return f, (torch.ones(2, 3),)

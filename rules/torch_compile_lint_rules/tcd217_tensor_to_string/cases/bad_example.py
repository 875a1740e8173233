import torch


@torch.compile
def f(x: torch.Tensor):
    y = x + 1
    text = str(y.sum())  # expect: TCD217 "`str` needs the values of `y.sum()`"
    return y * 2, text


def probe():
    return f, (torch.ones(2, 3),)

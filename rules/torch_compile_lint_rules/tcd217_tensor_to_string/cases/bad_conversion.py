import torch


@torch.compile
def f(x: torch.Tensor):
    y = x + 1
    text = f"mean {y.mean()!r}"  # expect: TCD217 "`!r`"
    return y * 2, text


def probe():
    return f, (torch.ones(2, 3),)

import torch


@torch.compile
def f(x: torch.Tensor):
    y = torch.arange(6).reshape(2, 3)
    text = str(y)  # expect: TCD217 "`str` needs the values of `y`"
    return x * 2, text


def probe():
    return f, (torch.ones(2, 3),)

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if all((row > 0).any() for row in y):  # expect: TCD111 "`all`"
        y = y * 2
    return y


def probe():
    return f, (torch.ones(2, 3),)

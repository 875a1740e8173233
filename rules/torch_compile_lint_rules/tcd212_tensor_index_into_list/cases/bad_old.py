# torch: 2.3, 2.14
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    top = x.sum().long()
    return (x + 1)[top] * 2  # expect[2.3]: TCD212 "0-d tensor `top`"


def probe():
    return f, (torch.zeros(2, 3),)

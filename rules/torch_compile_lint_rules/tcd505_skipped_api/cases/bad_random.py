# torch: 2.9, 2.13, 2.14
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y.random_(0, 5)  # expect: TCD505 "`y.random_(...)` is refused by Dynamo"
    return y * 2


def probe():
    return f, (torch.ones(2, 3),)

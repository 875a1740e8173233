import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x - 2
    rows, columns = torch.where(y > 0)  # expect: TCD205 "the size of `torch.where(...)` depends on the data"
    return y[rows, columns] * 2


def probe():
    return f, (torch.ones(2, 3),)

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x - 2
    values, counts = torch.unique_consecutive(y, return_counts=True)  # expect: TCD207
    return values.sum() + counts.sum() + y.unique().sum()  # expect: TCD207


def probe():
    return f, (torch.ones(2, 3),)

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    kept = [row * 2 for row in y if row.sum() > 0]  # expect: TCD114 "filters on the value of `row.sum() > 0`"
    return kept[0] - 1


def probe():
    return f, (torch.ones(2, 3),)

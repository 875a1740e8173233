import torch
from torch.nn.functional import one_hot


@torch.compile
def f(labels: torch.Tensor) -> torch.Tensor:
    return one_hot(labels + 1, -1) * 2  # expect: TCD210


def probe():
    return f, (torch.tensor([0, 1, 2]),)

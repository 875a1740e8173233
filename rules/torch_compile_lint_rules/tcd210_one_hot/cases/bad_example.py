import torch
import torch.nn.functional as F


@torch.compile
def f(labels: torch.Tensor) -> torch.Tensor:
    return F.one_hot(labels + 1) * 2  # expect: TCD210 "`F.one_hot(...)` without num_classes"


def probe():
    return f, (torch.tensor([0, 1, 2]),)

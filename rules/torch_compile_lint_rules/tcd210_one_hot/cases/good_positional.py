import torch
import torch.nn.functional as F


@torch.compile
def f(labels: torch.Tensor, classes: int = 4) -> torch.Tensor:
    return F.one_hot(labels + 1, classes) * 2


def probe():
    return f, (torch.tensor([0, 1, 2]),)

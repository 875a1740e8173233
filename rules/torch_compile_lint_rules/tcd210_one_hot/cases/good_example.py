import torch
import torch.nn.functional as F


@torch.compile
def f(labels: torch.Tensor) -> torch.Tensor:
    return F.one_hot(labels + 1, num_classes=4) * 2


def probe():
    return f, (torch.tensor([0, 1, 2]),)

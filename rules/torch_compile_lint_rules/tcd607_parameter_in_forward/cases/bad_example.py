import torch
from torch import nn


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    scale = nn.Parameter(torch.ones(3))  # expect: TCD607 "makes a Parameter inside the graph"
    return (x + 1) * scale


def probe():
    return f, (torch.ones(2, 3),)

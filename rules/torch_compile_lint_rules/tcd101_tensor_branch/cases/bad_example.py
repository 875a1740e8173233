import torch
from torch import nn


class Clamp(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        if y.sum() > 0:  # expect: TCD101 "`if` on the value of `y.sum() > 0`"
            y = y - 1
        return y + 1


def probe():
    return Clamp(), (torch.ones(2, 3),)

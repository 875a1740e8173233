import torch
from torch import nn


class Clamp(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        y = torch.where(y.sum() > 0, y - 1, y)
        return y + 1


def probe():
    return Clamp(), (torch.ones(2, 3),)

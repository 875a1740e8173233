# torch: 2.6, 2.9, 2.13, 2.14
import torch
from torch import nn


class Positions(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.zeros(4, 4), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        self.table = self.table.to(device=x.device, dtype=x.dtype)
        return y + self.table


class Average(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Buffer(torch.zeros(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        self.mean.mul_(0.9)
        return y - self.mean


def probe_positions():
    return Positions(), (torch.ones(4, 4),)


def probe_average():
    return Average(), (torch.ones(4, 4),)

# torch: 2.6, 2.9, 2.13, 2.14
import torch
from torch import nn


class Written(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Buffer(torch.zeros(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        self.mean = self.mean.mul_(0.9).add_(y.detach().mean())  # expect[2.13-]: TCD613
        return y - self.mean


class Contiguous(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.parameter.Buffer(torch.zeros(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        self.mean = self.mean.float().contiguous()  # expect[2.13-]: TCD613
        return y - self.mean


def probe_written():
    return Written(), (torch.ones(4, 4),)


def probe_contiguous():
    return Contiguous(), (torch.ones(4, 4),)

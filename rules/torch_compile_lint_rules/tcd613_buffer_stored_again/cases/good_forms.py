# torch: 2.6, 2.9, 2.13, 2.14
import torch
from torch import nn


class Local(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Buffer(torch.zeros(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mean = self.mean.to(x.device)
        return x + 1 - mean


class New(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Buffer(torch.zeros(4))
        self.low = nn.Buffer(torch.zeros(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        self.mean = self.mean * 0.9
        self.low = self.low.to(torch.float16)
        return y - self.mean - self.low


class Replaced(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Buffer(torch.zeros(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        self.mean = self.mean + y.detach().mean()
        self.mean *= 0.9
        return y - self.mean


class Registered(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(4))
        self.last = nn.Buffer(torch.zeros(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        self.mean *= 0.9
        self.last = self.last.detach()
        return y - self.mean


def probe_local():
    return Local(), (torch.ones(4, 4),)


def probe_replaced():
    return Replaced(), (torch.ones(4, 4),)


def probe_registered():
    return Registered(), (torch.ones(4, 4),)

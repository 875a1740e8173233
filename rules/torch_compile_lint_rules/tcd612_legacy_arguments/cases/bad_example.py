# torch: 2.3, 2.6, 2.9, 2.13, 2.14
import torch
from torch import nn


class Codebook(nn.Module):
    def __init__(self):
        super().__init__()
        self.decay = 0.99
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        self.mean.mul_(self.decay).add_(1 - self.decay, y.mean(0))  # expect: TCD612 "in the old position"
        return y * self.mean


def probe():
    return Codebook(), (torch.ones(2, 3),)

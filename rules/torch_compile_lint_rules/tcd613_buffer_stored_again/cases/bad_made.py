# torch: 2.6, 2.9, 2.13, 2.14
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        self.mean = nn.Buffer(y.detach().mean(0))  # expect: TCD613 "a new nn.Buffer"
        return y - self.mean


def probe():
    return Net(), (torch.ones(4, 4),)

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.ReLU()(x + 1) * self.scale


def probe():
    return Net(), (torch.ones(2, 3),)

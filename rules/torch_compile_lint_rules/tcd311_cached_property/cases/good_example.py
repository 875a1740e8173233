import torch
from torch import nn


class Net(nn.Module):
    @property
    def scale(self):
        return 3

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (x + 1) * self.scale


def probe():
    return Net(), (torch.ones(2, 3),)

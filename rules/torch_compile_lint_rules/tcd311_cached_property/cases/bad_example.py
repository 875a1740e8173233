import functools

import torch
from torch import nn


class Net(nn.Module):
    @functools.cached_property
    def scale(self):
        return 3

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (x + 1) * self.scale  # expect: TCD311 "`self.scale` is a functools.cached_property"


def probe():
    return Net(), (torch.ones(2, 3),)

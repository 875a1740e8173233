# torch: 2.3, 2.14
import torch
from torch import nn


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.experts = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])

    def forward(self, x: torch.Tensor, which: torch.Tensor):
        return self.experts[which](x + 1) * 2  # expect: TCD212 "ModuleList `self.experts`"


def probe():
    return Experts(), (torch.ones(2, 3), torch.tensor(1))

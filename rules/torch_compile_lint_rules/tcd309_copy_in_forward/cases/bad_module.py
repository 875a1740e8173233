from copy import copy, deepcopy

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.fresh = deepcopy(self.lin)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        options = copy({"k": 3})  # expect: TCD309
        return deepcopy(self.lin)(x + 1) * options["k"]  # expect: TCD309


def probe():
    return Net(), (torch.ones(2, 3),)

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.lin = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1  # expect: TCD701 "`self.calls += 1` changes a number"
        return self.lin(x) * self.calls


def probe():
    return Net(), [(torch.ones(2, 3),)] * 4

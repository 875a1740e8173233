import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))
        self.lin = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        total = 0
        total += x.shape[0]
        return self.lin(x) * self.calls * total


def probe():
    return Net(), [(torch.ones(2, 3),)] * 4

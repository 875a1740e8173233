import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, size: int = 3):
        super().__init__()
        self.steps = 10  # counts down
        self.lin = nn.Linear(size, size)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.steps -= 2  # expect: TCD701
        y = self.lin(x) + self.steps
        return y / self.steps


def probe():
    return Net(), [(torch.ones(2, 3),)] * 4

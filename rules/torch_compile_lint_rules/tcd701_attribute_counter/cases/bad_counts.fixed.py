import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, size: int = 3):
        super().__init__()
        self.register_buffer("steps", torch.tensor(10), persistent=False)  # counts down
        self.lin = nn.Linear(size, size)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.steps.sub_(2)
        y = self.lin(x) + self.steps
        return y / self.steps.clone()


def probe():
    return Net(), [(torch.ones(2, 3),)] * 4

# torch: 2.9, 2.13
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        state = self.state_dict()  # expect[2.9]: TCD608
        return self.lin(x) + state["lin.weight"].sum()

# torch: 2.13, 2.14
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Buffer(torch.zeros(4))
        self.register_buffer("last", torch.zeros(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        self.last = self.mean.type_as(x)  # expect: TCD613
        return y - self.last

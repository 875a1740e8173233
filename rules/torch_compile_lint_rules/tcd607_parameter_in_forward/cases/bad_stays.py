import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.width = 3

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = nn.Linear(x.shape[-1], self.width)(x)  # expect: TCD607
        if self.width > 2:
            extra = nn.LayerNorm(3)  # expect: TCD607
            y = extra(y)
        kept = nn.Parameter(torch.ones(3), requires_grad=False)  # expect: TCD607
        kept.add_(1)
        self.last = nn.Parameter(torch.ones(3))  # expect: TCD607
        return nn.BatchNorm1d(3)(y) * kept  # expect: TCD607

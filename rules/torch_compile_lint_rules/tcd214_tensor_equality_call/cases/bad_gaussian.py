# torch: 2.3, 2.6, 2.9, 2.13, 2.14
import torch
import torch.nn.functional as F
from torch import nn


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 6)
        self.loss = nn.GaussianNLLLoss()

    def forward(self, x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        mean, var = self.lin(x).chunk(2, dim=-1)
        var = F.softplus(var)
        one = self.loss(mean, target, var)  # expect: TCD214 "`self.loss(...)` asks whether any variance is negative"
        return one + F.gaussian_nll_loss(mean, target, var=var)  # expect: TCD214


def probe():
    return Head(), (torch.rand(2, 3), torch.rand(2, 3))

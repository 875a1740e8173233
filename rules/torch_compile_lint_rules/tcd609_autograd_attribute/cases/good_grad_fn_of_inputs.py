import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.grad_fn is None and self.weight.grad_fn is None:
            return x * self.weight
        return x


def probe():
    return Net(), (torch.ones(3, requires_grad=True),)

# torch: 2.3, 2.6, 2.9, 2.13, 2.14
import torch
from torch import nn


class Returned(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> tuple:
        handle = self.lin.register_forward_hook(lambda m, i, o: o * 2)  # expect: TCD606 "graph break"
        return self.lin(x + 1), handle


class Backward(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        self.lin.register_full_backward_hook(lambda m, i, o: None)  # expect: TCD606 "graph break"
        return self.lin(y)


def probe_returned():
    return Returned(), [(torch.ones(2, 3),)]


def probe_backward():
    return Backward(), (torch.ones(2, 3).requires_grad_(),)

# torch: 2.3, 2.6, 2.9, 2.14
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.lin.register_forward_hook(lambda m, i, o: o * 2)  # expect: TCD606 "hangs a hook on a module"
        return self.lin(x + 1)


def probe():
    return Net(), (torch.ones(2, 3),)

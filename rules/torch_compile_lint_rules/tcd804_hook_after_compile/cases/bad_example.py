# torch: 2.3, 2.6, 2.14
import torch
from torch import nn


def run(net: nn.Module, x: torch.Tensor, seen: list):
    model = torch.compile(net, backend="eager")
    model(x)
    net.lin.register_forward_hook(lambda *a: seen.append(1))  # expect: TCD804 "never run: silently wrong"
    return model(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x):
        return self.lin(x)


def probe():
    seen = []
    run(Net(), torch.ones(2, 3), seen)
    return "ok" if seen else "wrong"

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x):
        return self.lin(x)


def before(net: nn.Module, x: torch.Tensor, seen: list):
    model = torch.compile(net, backend="eager")
    net.lin.register_forward_hook(lambda *a: seen.append(1))
    return model(x)


def outside(net: nn.Module, x: torch.Tensor, seen: list):
    model = torch.compile(net, backend="eager")
    model(x)
    model.register_forward_hook(lambda *a: seen.append(1))
    return model(x)


def eager(net: nn.Module, x: torch.Tensor, seen: list):
    net(x)
    net.lin.register_forward_hook(lambda *a: seen.append(1))
    return net(x), torch.compile(net)


def probe():
    first, second = [], []
    before(Net(), torch.ones(2, 3), first)
    outside(Net(), torch.ones(2, 3), second)
    return "ok" if first and second else "wrong"

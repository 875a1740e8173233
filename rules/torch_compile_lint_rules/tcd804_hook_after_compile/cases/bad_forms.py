import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3)])

    def forward(self, x):
        return self.layers[0](x)


class Trainer:
    def __init__(self, model):
        self.model = torch.compile(model, backend="eager")

    def inspect(self, x, seen):
        self.model(x)
        self.model.layers[0].register_forward_pre_hook(lambda *a: seen.append(1))  # expect: TCD804
        self.model(x)


def backward(x, seen):
    net = Net()
    net = torch.compile(net, backend="eager")
    net(x).sum().backward()
    net.layers[0].register_full_backward_hook(lambda *a: seen.append(1))  # expect: TCD804
    net(x).sum().backward()


def in_place(x, seen):
    net = Net()
    net.compile(backend="eager")
    net(x)
    net.layers[0].register_forward_hook(lambda *a: seen.append(1))  # expect: TCD804
    net(x)


def probe():
    seen = []
    Trainer(Net()).inspect(torch.ones(2, 3), seen)
    backward(torch.ones(2, 3), seen)
    torch.compiler.reset()
    in_place(torch.ones(2, 3), seen)
    return "ok" if seen else "wrong"

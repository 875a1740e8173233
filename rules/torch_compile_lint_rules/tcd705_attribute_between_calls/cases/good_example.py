import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.register_buffer("scale", torch.ones(()))

    def forward(self, x):
        return self.lin(x) * self.scale


def run(net: nn.Module, x: torch.Tensor, log):
    net.flag = True
    model = torch.compile(net, backend=BACKEND)
    first = model(x)
    net.scale.fill_(2)
    log.step = 1
    second = model(x)
    net.done = True
    return first, second


GRAPHS = []


def BACKEND(gm, example_inputs):
    GRAPHS.append(gm)
    return gm.forward


def probe():
    class Log:
        pass

    run(Net(), torch.ones(2, 3), Log())
    return "ok" if len(GRAPHS) == 1 else "recompile"

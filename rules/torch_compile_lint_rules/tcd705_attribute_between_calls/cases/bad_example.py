# torch: 2.3, 2.6, 2.14
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.flag = True

    def forward(self, x):
        return self.lin(x) if self.flag else self.lin(x) + 1


def run(net: nn.Module, x: torch.Tensor):
    model = torch.compile(net, backend=BACKEND)
    first = model(x)
    net.flag = False  # expect: TCD705 "net.flag = False` after"
    return first, model(x)


GRAPHS = []


def BACKEND(gm, example_inputs):
    GRAPHS.append(gm)
    return gm.forward


def probe():
    net = Net()
    first, second = run(net, torch.ones(2, 3))
    if not torch.allclose(second, first + 1):
        return "wrong"
    return "recompile" if len(GRAPHS) == 2 else "ok"

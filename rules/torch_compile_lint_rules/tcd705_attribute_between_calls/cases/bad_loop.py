# torch: 2.3, 2.14
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.scale = 0

    def forward(self, x):
        return self.lin(x) * self.scale


def train(x: torch.Tensor):
    model = Net()
    model = torch.compile(model, backend=BACKEND)
    out = []
    for epoch in range(12):
        out.append(model(x))
        model.scale = epoch  # expect: TCD705 "model.scale = epoch"
    return out


GRAPHS = []


def BACKEND(gm, example_inputs):
    GRAPHS.append(gm)
    return gm.forward


def probe():
    out = train(torch.ones(2, 3))
    if torch.allclose(out[0], out[-1]):
        return "wrong"
    return "recompile" if len(GRAPHS) > 1 else "ok"

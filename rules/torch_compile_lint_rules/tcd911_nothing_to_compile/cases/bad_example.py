import torch
from torch import nn


@torch.compiler.disable
@torch.compile(backend=lambda gm, example_inputs: BACKEND(gm))  # expect: TCD911 "so nothing is compiled"
def stacked(x: torch.Tensor):
    return x.sin() + 1


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    @torch.compiler.disable
    def forward(self, x):
        return self.lin(x)


def run(x: torch.Tensor):
    model = Net()
    compiled = torch.compile(model, backend=BACKEND)  # expect: TCD911 "compiles nothing: `Net.forward` is disabled"
    layer = torch.compile(nn.LSTM(3, 3), backend=BACKEND)  # expect: TCD911 "Dynamo refuses nn.LSTM"
    return stacked(x), compiled(x), layer(x)


GRAPHS = []


def BACKEND(gm, example_inputs=()):
    GRAPHS.append(gm)
    return gm.forward


def probe():
    run(torch.ones(2, 3))
    return "misuse" if not GRAPHS else "ok"

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, index):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.index = index

    def forward(self, x):
        return self.lin(x) * self.index


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(
            [torch.compile(Block(i), backend=BACKEND) for i in range(12)]  # expect: TCD904 "differ in `i`"
        )

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


GRAPHS = []


def BACKEND(gm, example_inputs):
    GRAPHS.append(gm)
    return gm.forward


def probe():
    Stack()(torch.ones(4, 4))
    return "recompile" if len(GRAPHS) > 1 else f"ok: {len(GRAPHS)} graphs"

import torch
from torch import nn


def plain(x: torch.Tensor):
    return x.sin() + 1


def inside(x: torch.Tensor):
    compiled = torch.compile(torch.compiler.disable(plain), backend=BACKEND)
    return compiled(x)


def above(x: torch.Tensor):
    @torch.compile(backend=BACKEND)
    @torch.compiler.disable
    def inner(x):
        return plain(x) * 2

    return inner(x)


class Shallow(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    @torch.compiler.disable(recursive=False)
    def forward(self, x):
        return self.inner(x)


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    @torch.compiler.disable
    def report(self, x):
        return x.mean()

    def forward(self, x):
        return self.lin(x)


def shallow(x: torch.Tensor):
    model = torch.compile(Shallow(), backend=BACKEND)
    return model(x)


def method(x: torch.Tensor):
    model = torch.compile(Inner(), backend=BACKEND)
    return model(x)


def cell(x: torch.Tensor):
    return torch.compile(nn.LSTMCell(3, 3), backend=BACKEND)(x)


def caller(x: torch.Tensor):
    compiled = torch.compile(plain, backend=BACKEND)

    @torch.compiler.disable
    def step(x):
        return compiled(x)

    return step(x)


GRAPHS = []


def BACKEND(gm, example_inputs):
    GRAPHS.append(gm)
    return gm.forward


def probe():
    for one in (inside, above, shallow, method, cell, caller):
        torch.compiler.reset()
        GRAPHS.clear()
        one(torch.ones(2, 3))
        if not GRAPHS:
            return f"misuse: {one.__name__}"
    return "ok"

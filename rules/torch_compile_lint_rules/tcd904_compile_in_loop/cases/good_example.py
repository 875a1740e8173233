import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width, index=0):
        super().__init__()
        self.lin = nn.Linear(width, width)

    def forward(self, x):
        return self.lin(x)


def equal(x):
    blocks = [torch.compile(Block(4), backend=BACKEND) for _ in range(12)]
    for block in blocks:
        block(x)


def same_function(x):
    for n in range(12):
        f = torch.compile(double, backend=BACKEND)
        f(x)


def numbers(x):
    for n in range(12):
        f = torch.compile(lambda t: t * n, backend=BACKEND)
        f(x)


def benchmark(x):
    for width in range(1, 13):
        model = torch.compile(Block(width), backend="eager")
        model(x[:, :width])
        torch.compiler.reset()


def double(x):
    return x * 2


GRAPHS = []


def BACKEND(gm, example_inputs):
    GRAPHS.append(gm)
    return gm.forward


def probe():
    x = torch.ones(4, 12)
    if hasattr(torch._dynamo.config, "inline_inbuilt_nn_modules"):  # 2.3 compiles each instance
        equal(x[:, :4])
    same_function(x)
    numbers(x)
    return "ok" if len(GRAPHS) <= 6 else f"recompile: {len(GRAPHS)} graphs"

import torch
from torch import nn
from torch.compiler import disable


def plain(x: torch.Tensor):
    return x.sin() + 1


def wrapped(x: torch.Tensor):
    compiled = torch.compile(plain, backend=BACKEND)
    eager = disable(compiled)  # expect: TCD911 "`disable(compiled)` gives back the eager function"
    return eager(x)


class Base(nn.Module):
    @disable()
    def forward(self, x):
        return x.sin()


class Net(Base):
    pass


def inherited(x: torch.Tensor):
    model = Net()
    model.compile(backend=BACKEND)  # expect: TCD911 "`Net.forward` is disabled"
    return model(x)


def nested(x: torch.Tensor):
    @disable(recursive=False)
    @torch.compile(backend=BACKEND)  # expect: TCD911 "stands under `@disable(recursive=False)`"
    def inner(x):
        return plain(x) * 2

    return inner(x)


def recurrent(x: torch.Tensor):
    layer = nn.GRU(3, 3)
    layer.compile(backend=BACKEND)  # expect: TCD911 "Dynamo refuses nn.GRU"
    return layer(x)


GRAPHS = []


def BACKEND(gm, example_inputs):
    GRAPHS.append(gm)
    return gm.forward


def probe():
    for one in (wrapped, nested, recurrent):
        torch.compiler.reset()
        one(torch.ones(2, 3))
    return "misuse" if not GRAPHS else "ok"

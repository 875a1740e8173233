import torch
from torch import nn


class Wide(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.lin = nn.Linear(4, width)

    def forward(self, x):
        return self.lin(x)


def widths(x):
    for width in range(1, 13):
        model = Wide(width)
        model = torch.compile(model, backend=BACKEND)  # expect: TCD904 "differ in `width`"
        model(x)


def strings(x):
    for name in ("a", "b", "c", "d"):
        f = torch.compile(lambda t: t * len(name), backend=BACKEND)  # expect: TCD904 "strings"
        f(x)


def backends(x, n):
    for _ in range(n):
        f = torch.compile(torch.sin, backend=lambda gm, _: gm.forward)  # expect: TCD904 "makes a backend"
        f(x)


GRAPHS = []


def BACKEND(gm, example_inputs):
    GRAPHS.append(gm)
    return gm.forward


def probe():
    widths(torch.ones(4, 4))
    wide = len(GRAPHS)
    strings(torch.ones(4))
    return "recompile" if wide >= 8 and len(GRAPHS) == wide + 4 else f"ok: {wide} {len(GRAPHS)} graphs"

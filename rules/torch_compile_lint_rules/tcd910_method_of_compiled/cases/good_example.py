import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x):
        return self.lin(x)

    def generate(self, x):
        for _ in range(3):
            x = self(x)
        return x


def in_place(x: torch.Tensor):
    model = Decoder()
    model.compile(backend=BACKEND)
    return model.generate(x)


def replaced(x: torch.Tensor):
    model = Decoder()
    model.forward = torch.compile(model.forward, backend=BACKEND)
    return model.generate(x)


def direct(x: torch.Tensor):
    model = torch.compile(Decoder(), backend=BACKEND)
    model.eval()
    model.to("cpu")
    return model(x)


GRAPHS = []


def BACKEND(gm, example_inputs):
    GRAPHS.append(gm)
    return gm.forward


def probe():
    for one in (in_place, replaced, direct):
        torch.compiler.reset()
        GRAPHS.clear()
        one(torch.ones(2, 3))
        if not GRAPHS:
            return f"misuse: {one.__name__}"
    return "ok"

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

    def encode(self, x):
        return self.lin(x) * 2


def run(x: torch.Tensor):
    model = Decoder()
    compiled = torch.compile(model, backend=BACKEND)
    tokens = compiled.generate(x)  # expect: TCD910 "runs eagerly, forward included"
    return tokens, compiled.encode(x)  # expect: TCD910 "only calls of the module itself"


GRAPHS = []


def BACKEND(gm, example_inputs):
    GRAPHS.append(gm)
    return gm.forward


def probe():
    run(torch.ones(2, 3))
    return "misuse" if not GRAPHS else "ok"

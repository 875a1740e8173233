import torch
from torch import nn

model = nn.Linear(3, 3)
torch.compile(model, mode="max-autotune")  # expect: TCD901 "is thrown away: misuse"


def train(net: nn.Module):
    torch.compile(net)  # expect: TCD901 "`torch.compile(net)` returns the compiled callable"
    return net


def probe():
    from torch._dynamo.utils import counters

    counters.clear()
    train(model)(torch.ones(2, 3))
    return "ok" if counters["frames"]["ok"] else "misuse"

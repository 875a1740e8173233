import torch
from torch import nn

model = nn.Linear(3, 3)
model = torch.compile(model, mode="max-autotune")


def train(net: nn.Module):
    net = torch.compile(net)
    return net


def probe():
    from torch._dynamo.utils import counters

    counters.clear()
    train(model)(torch.ones(2, 3))
    return "ok" if counters["frames"]["ok"] else "misuse"

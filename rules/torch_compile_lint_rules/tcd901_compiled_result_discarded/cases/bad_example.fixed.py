import torch
from torch import nn

model = nn.Linear(3, 3)
model = torch.compile(model, mode="max-autotune")


def train(net: nn.Module):
    net = torch.compile(net)
    return net

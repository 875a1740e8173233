import torch
from torch import nn

lin = nn.Linear(3, 3)


@torch.compile
def loss_of(x: torch.Tensor) -> torch.Tensor:
    return lin(x).sum()


def step(x):
    loss = loss_of(x)
    loss.backward()
    return loss * 2


def probe():
    return loss_of, (torch.ones(2, 3),)

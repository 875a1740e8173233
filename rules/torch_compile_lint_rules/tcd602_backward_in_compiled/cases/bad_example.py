import torch
from torch import nn

lin = nn.Linear(3, 3)


@torch.compile
def step(x: torch.Tensor) -> torch.Tensor:
    loss = lin(x).sum()
    loss.backward()  # expect: TCD602 "runs the backward pass"
    return loss * 2


def probe():
    return step, (torch.ones(2, 3),)

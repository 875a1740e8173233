import torch
from torch import nn

lin = nn.Linear(3, 3)
opt = torch.optim.SGD(lin.parameters(), lr=0.01)


@torch.compile
def step(x: torch.Tensor) -> torch.Tensor:
    opt.zero_grad()  # expect: TCD602 "steps the optimizer"
    loss = lin(x).sum()
    loss.backward()  # expect: TCD602
    opt.step()  # expect: TCD602
    return loss.detach()

import torch
from torch import nn

traced = torch.jit.trace(nn.Linear(3, 3), torch.ones(2, 3))


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = traced(x + 1)  # expect: TCD503 "torch.jit.trace result"
    torch._dynamo.graph_break()  # expect: TCD503 "on purpose"
    return y - 1


def probe():
    return f, (torch.ones(2, 3),)

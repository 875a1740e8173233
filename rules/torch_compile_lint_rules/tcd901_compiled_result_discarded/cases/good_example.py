import re

import torch
from torch import nn

model = torch.compile(nn.Linear(3, 3))
other = nn.Linear(3, 3)
other.compile()
re.compile("a+")


def train(net: nn.Module):
    compiled = torch.compile(net)
    return compiled


@torch.compile
def f(x):
    return x * 2


def probe():
    kept = train(nn.Linear(3, 3))
    return "ok" if isinstance(kept, torch._dynamo.eval_frame.OptimizedModule) else "misuse"

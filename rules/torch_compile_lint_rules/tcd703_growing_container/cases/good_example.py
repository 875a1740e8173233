import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor):
        seen = []
        for _ in range(3):
            x = x + 1
            seen.append(x)
        self.last = []
        self.last.append(x)
        return x * 2, seen


def probe():
    return Net(), [(torch.ones(2, 3),)] * 4

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = []

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        self.seen.append(y)  # expect: TCD703 "grows a list on a module"
        return y * 2, len(self.seen)


def probe():
    return Net(), [(torch.ones(2, 3),)] * 4

import torch
from torch import nn


class Collect(nn.Module):
    def forward(self, x: torch.Tensor, seen: list[torch.Tensor]) -> torch.Tensor:
        seen.append(x)
        return x * 2


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.collect = Collect()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        seen = [x]
        y = self.collect(x, seen)
        return torch.cat(seen) + y.sum()


def probe():
    return Net(), [(torch.ones(2, 3),)] * 3

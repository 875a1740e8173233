import torch
from torch import nn


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1  # expect: TCD701
        return x if self.calls > 1 else x + 1


class Resets(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def reset(self):
        self.calls = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1  # expect: TCD701
        return x + self.calls


class Decays(nn.Module):
    def __init__(self):
        super().__init__()
        self.momentum = 1.0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.momentum *= 0.5  # expect: TCD701
        return x * self.momentum

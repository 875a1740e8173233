import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.arange(16).float()[:, None])
        self.last = None

    def forward(self, x: torch.Tensor, scale=None) -> torch.Tensor:
        y = x + 1
        if scale is None:
            scale = 2
        found = {}
        found["y"] = y
        self.last = y
        return found["y"] * self.cache[: x.shape[0]] * scale


def probe():
    return Net(), [(torch.ones(2, 3),)] * 3

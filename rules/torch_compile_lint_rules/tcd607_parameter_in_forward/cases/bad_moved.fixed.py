import torch
from torch import nn

SIZE = 3


class Net(nn.Module):
    def __init__(self, width: int = 3):
        super().__init__()
        self.width = width
        self.norm_in = nn.LayerNorm(width)  # kept
        self.scale = nn.Parameter(torch.full((SIZE,), 0.5), requires_grad=False)
        self.norm = nn.LayerNorm(self.width, eps=1e-3)
        self.layer_norm = nn.LayerNorm([self.width])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        # the scale of the sum
        scale = self.scale
        norm = self.norm
        y = norm(self.norm_in(x)) * scale
        return self.layer_norm(y)


def probe():
    return Net(), (torch.arange(6.0).reshape(2, 3),)

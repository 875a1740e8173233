import torch
from torch import nn

SIZE = 3


class Net(nn.Module):
    def __init__(self, width: int = 3):
        super().__init__()
        self.width = width
        self.norm_in = nn.LayerNorm(width)  # kept

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        # the scale of the sum
        scale = nn.Parameter(torch.full((SIZE,), 0.5), requires_grad=False)  # expect: TCD607
        norm = nn.LayerNorm(self.width, eps=1e-3)  # expect: TCD607
        y = norm(self.norm_in(x)) * scale
        return nn.LayerNorm([self.width])(y)  # expect: TCD607


def probe():
    return Net(), (torch.arange(6.0).reshape(2, 3),)

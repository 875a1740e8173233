# torch: 2.3, 2.14
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.drop.eval()  # expect[2.3]: TCD608
        self.register_buffer("offset", torch.ones(3), persistent=False)  # expect[2.3]: TCD608
        return self.drop(x) + self.offset

import torch
from torch import nn
from torchvision.transforms import v2


class Augmented(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.augment = v2.ColorJitter(0.5)
        self.layer = nn.Conv2d(3, 8, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.augment(x)  # expect: TCD506 "`torchvision.transforms.v2.ColorJitter`, which breaks in"
        return self.layer(x)


def probe():
    return Augmented(), (torch.zeros(2, 3, 16, 16),)

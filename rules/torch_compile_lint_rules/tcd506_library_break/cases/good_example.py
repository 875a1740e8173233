import torch
from torch import nn
from torchvision.transforms import v2


class Augmented(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Conv2d(3, 8, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x)


def step(model: nn.Module, x: torch.Tensor) -> torch.Tensor:
    augment = v2.ColorJitter(0.5)
    return model(augment(x))


compiled = torch.compile(Augmented())


def probe():
    return Augmented(), (torch.zeros(2, 3, 16, 16),)

import torch
import torchvision
import torchvision.transforms.v2.functional as F
from torch import nn
from torchvision import transforms
from torchvision.ops import box_iou, roi_align
from torchvision.transforms import v2


class Steps(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.steps = nn.Sequential(v2.Pad(2), v2.CenterCrop(16))
        self.composed = v2.Compose([v2.Resize(16), v2.Normalize([0.5] * 3, [0.5] * 3)])
        self.grey = transforms.Grayscale(3)
        self.backbone = torchvision.models.resnet18()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.backbone(self.grey(self.composed(self.steps(x))))


class Jitter(v2.ColorJitter):
    """What a subclass does nobody has measured."""

    def make_params(self, flat_inputs: list[torch.Tensor]) -> dict[str, object]:
        return {"fn_idx": (0,), "brightness_factor": 1.2}


class Own(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.augment = Jitter(0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.augment(x)


@torch.compile
def functions(x: torch.Tensor, boxes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    x = F.normalize(x, [0.5] * 3, [0.5] * 3)
    return F.resize(x, [16, 16]), roi_align(x, [boxes], 2) + box_iou(boxes, boxes).sum()


def probe():
    return Steps(), (torch.zeros(2, 3, 32, 32),)


def probe_functions():
    return functions, (torch.zeros(2, 3, 32, 32), torch.tensor([[0.0, 0.0, 8.0, 8.0], [1.0, 1.0, 9.0, 9.0]]))

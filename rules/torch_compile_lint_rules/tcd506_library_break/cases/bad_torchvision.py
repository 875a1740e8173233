import torch
import torchvision
import torchvision.transforms.v2.functional as F
from torch import nn
from torchvision import transforms
from torchvision.ops import remove_small_boxes
from torchvision.transforms import RandomAffine, v2
from torchvision.transforms.transforms import Normalize


class Steps(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.steps = nn.Sequential(v2.Pad(2), v2.RandomHorizontalFlip())
        self.composed = v2.Compose([v2.Resize(16), v2.RandomRotation(20.0)])
        self.jpeg = v2.JPEG(50)
        self.affine = RandomAffine(20.0)
        self.normalize = Normalize([0.5] * 3, [0.5] * 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.steps(x)  # expect: TCD506 "v2.RandomHorizontalFlip"
        x = self.composed(x)  # expect: TCD506 "v2.RandomRotation"
        if self.training:
            x = self.jpeg(x)  # expect: TCD506 "`torchvision.transforms.v2.JPEG`, which raises once compiled"
        x = self.affine(x)  # expect: TCD506 "torchvision.transforms.RandomAffine"
        return self.normalize(x)  # expect: TCD506 "torchvision.transforms.Normalize"


@torch.compile
def local(x: torch.Tensor) -> torch.Tensor:
    return transforms.ColorJitter(0.5)(x)  # expect: TCD506 "torchvision.transforms.ColorJitter"


@torch.compile
def functions(x: torch.Tensor, boxes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    corners = [[0, 0], [31, 0], [31, 31], [0, 31]]
    x = F.perspective(x, corners, [[1, 1], [30, 0], [31, 30], [0, 31]])  # expect: TCD506
    x = torchvision.transforms.functional.normalize(x, [0.5], [0.5])  # expect: TCD506
    return x, boxes[remove_small_boxes(boxes, 4.0)]  # expect: TCD506 "ops.remove_small_boxes"


def probe():
    return Steps().eval(), (torch.zeros(2, 3, 32, 32),)


def probe_functions():
    return functions, (torch.zeros(2, 3, 32, 32), torch.tensor([[0.0, 0.0, 8.0, 8.0], [1.0, 1.0, 9.0, 9.0]]))

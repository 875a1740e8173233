# torch: 2.13, 2.14
import torch
from torchvision.ops import batched_nms, nms


@torch.compile
def f(boxes: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
    kept = boxes[nms(boxes, scores, 0.5)]  # expect: TCD219 "`nms(...)`"
    return kept + 1


@torch.compile
def g(boxes: torch.Tensor, scores: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    kept = boxes[batched_nms(boxes, scores, labels, 0.5)]  # expect: TCD219
    return kept + 1


@torch.compile
def direct(boxes: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
    return torch.ops.torchvision.nms(boxes, scores, 0.5)  # expect: TCD219

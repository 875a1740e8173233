import timm
import torch
from timm.models.sequencer import Sequencer2d
from torch import nn
from torchvision.models.detection import ssd300_vgg16
from transformers import LongformerConfig, LongformerForMaskedLM


class Wrapped(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.named = timm.create_model("sequencer2d_l", pretrained=False)
        self.built = Sequencer2d()
        self.detector = ssd300_vgg16(weights=None, weights_backbone=None)
        self.text = LongformerForMaskedLM(LongformerConfig())
        self.loaded = LongformerForMaskedLM.from_pretrained("allenai/longformer-base-4096")

    def forward(self, x: torch.Tensor, ids: torch.Tensor) -> tuple[object, ...]:
        a = self.named(x)  # expect: TCD506 "`timm.models.sequencer2d_l`, which breaks in `forward`"
        b = self.built(x)  # expect: TCD506 "Sequencer2d"
        c = self.text(ids)  # expect: TCD506 "`transformers.LongformerForMaskedLM`"
        d = self.loaded(ids)  # expect: TCD506 "`transformers.LongformerForMaskedLM`"
        e = self.detector([x])  # expect: TCD506 "`torchvision.models.detection.ssd300_vgg16`"
        return a, b, c, d, e

import timm
import torch
from torch import nn
from torchvision.models import convnext_tiny
from transformers import LlamaConfig, LlamaModel


class Wrapped(nn.Module):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.named = timm.create_model("resnet18")
        self.other = timm.create_model(name)
        self.built = convnext_tiny(weights=None)
        self.text = LlamaModel(LlamaConfig())

    def forward(self, x: torch.Tensor, ids: torch.Tensor) -> tuple[object, ...]:
        return self.named(x), self.other(x), self.built(x), self.text(ids)

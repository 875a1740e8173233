# torch: 2.3, 2.6, 2.9, 2.13, 2.14
from __future__ import annotations

import torch
from torch import nn


class Block(nn.Module):
    def forward(self, x: torch.Tensor, cache: dict[str, torch.Tensor] | None = None) -> torch.Tensor:
        cache = cache or {}
        last = cache.get("last")
        return x if last is None else x + last


class Net(nn.Module):
    """A cache of caches, annotated as one: the two annotations of `cache` cannot both be right."""

    def __init__(self) -> None:
        super().__init__()
        self.block = Block()

    def forward(self, x: torch.Tensor, cache: dict[str, torch.Tensor] | None = None) -> torch.Tensor:
        cache = cache or {}
        return self.block(x, cache=cache.get("block"))


def probe():
    return Net(), (torch.ones(2), {"block": {"last": torch.ones(2)}})

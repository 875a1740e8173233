"""Sizes read from a tensor that was made of a list of sizes, one call and two calls away."""

import torch
from torch import nn


class Encoder(nn.Module):
    @staticmethod
    def points(shapes, ratios):
        found = []
        for level, (height, width) in enumerate(shapes):
            rows = torch.linspace(0.5, height - 0.5, height)  # expect: TCD218
            columns = torch.linspace(0.5, width - 0.5, width)  # expect: TCD218
            rows = rows[:, None].expand(-1, columns.shape[0]).reshape(-1) / (ratios[level] * height)
            found.append(rows)
        return torch.cat(found)

    def forward(self, x: torch.Tensor, shapes: torch.Tensor, pairs: list[tuple[int, int]], ratios: torch.Tensor):
        return x + self.points(shapes, ratios).sum()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()

    def cut(self, x: torch.Tensor, shapes: torch.Tensor) -> torch.Tensor:
        total = torch.zeros(())
        for height, width in shapes:
            part = x.sum() + torch.zeros(height, width)  # expect: TCD218
            total = total + part[0].sum() * part[:, 0].sum()
        return total

    def forward(self, one: torch.Tensor, two: torch.Tensor) -> torch.Tensor:
        pairs = []
        flat = []
        for one_map in (one, two):
            batch, height, width = one_map.shape
            pair = (height, width)
            pairs.append(pair)
            flat.append(one_map.flatten(1))
        shapes = torch.as_tensor(pairs, dtype=torch.long)
        ratios = one.mean() + torch.ones(2)
        encoded = self.encoder(torch.cat(flat, 1), shapes=shapes, pairs=pairs, ratios=ratios)
        return self.cut(encoded, shapes) + shapes.prod(1).sum()

import dataclasses

import torch
from torch import nn

WIDTH = 3


@dataclasses.dataclass
class Options:  # kept
    """What to do.

    With a second paragraph.
    """

    scale: float = 2.0
    width = WIDTH

    def grown(self, by):
        # a helper of the options
        return self.scale + by


# The network.
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.lin(x)
        options = Options(scale=3.0)
        return y * options.grown(1) + options.width


class Closes(nn.Module):
    def forward(self, x: torch.Tensor, n: int = 2) -> torch.Tensor:
        y = x + 1

        class Seen:
            count = n
            rows = []

        return y * Seen.count


class Collects(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        class Rows:
            rows = []

        Rows.rows.append(1)
        return x * len(Rows.rows)


def probe():
    return Net(), (torch.ones(2, 3),)

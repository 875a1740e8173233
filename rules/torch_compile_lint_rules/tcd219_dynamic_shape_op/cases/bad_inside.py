# torch: 2.3, 2.6, 2.9, 2.13, 2.14
import torch
import torch.nn.functional as F
from torch import nn


class Recogniser(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.loss = nn.CTCLoss()

    def forward(self, x: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        scores = self.lin(x).log_softmax(-1)
        one = self.loss(scores, targets, (2, 2), (1, 1))  # expect: TCD219 "`self.loss(...)` makes a result inside"
        two = F.ctc_loss(scores, targets, (2, 2), (1, 1))  # expect: TCD219 "`F.ctc_loss(...)`"
        return one + two


@torch.compile
def solve(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    b = b + 1
    return torch.linalg.lstsq(a, b).solution * 2  # expect: TCD219


def probe():
    return Recogniser(), (torch.ones(2, 2, 3), torch.ones(2, 1, dtype=torch.long))


def probe_solve():
    return solve, (torch.eye(3), torch.ones(3, 2))

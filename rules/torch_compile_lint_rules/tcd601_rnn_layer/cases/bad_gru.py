import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(4, 4, batch_first=True)
        self.out = nn.Linear(4, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h, _ = self.rnn(x + 1)  # expect: TCD601 "a GRU"
        return self.out(h)


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(4, 4, batch_first=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.rnn(x + 1)[0] * 2  # expect: TCD601 "an RNN"


def probe():
    return Tagger(), (torch.ones(2, 3, 4),)

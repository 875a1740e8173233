import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self, lstm: bool = False):
        super().__init__()
        self.rnn = nn.LSTMCell(4, 4)
        self.layers = nn.ModuleList([nn.Linear(4, 4)])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        assert self.rnn is not None
        h, c = self.rnn(x + 1)
        for layer in self.layers:
            h = layer(h)
        return h + c


def probe():
    return Reader(), (torch.ones(2, 4),)

import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 4, batch_first=True)
        self.out = nn.Linear(4, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h, _ = self.rnn(x + 1)  # expect: TCD601 "leaves frames that call an LSTM to eager: the whole frame runs eagerly"
        return self.out(h)


def probe():
    return Tagger(), (torch.ones(2, 3, 4),)

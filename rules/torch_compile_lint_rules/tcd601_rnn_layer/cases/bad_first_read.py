import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 4, batch_first=True)
        self.second = nn.GRU(4, 4, batch_first=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        assert self.rnn is not None  # expect: TCD601 "`self.rnn(y)`: Dynamo leaves frames that call an LSTM to eager"
        self.second.flatten_parameters()  # expect: TCD601 "`self.second(h)`: Dynamo leaves frames"
        h, _ = self.rnn(y)
        h, _ = self.second(h)
        return h + 1


def probe():
    return Reader(), (torch.ones(2, 3, 4),)

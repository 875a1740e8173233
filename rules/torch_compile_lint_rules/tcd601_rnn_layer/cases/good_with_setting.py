import torch
import torch._dynamo
from torch import nn

torch._dynamo.config.allow_rnn = True


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 4, batch_first=True)
        self.out = nn.Linear(4, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h, _ = self.rnn(x + 1)
        return self.out(h)


def probe():
    return Tagger(), (torch.ones(2, 3, 4),)

import torch
from torch import nn

gru = nn.GRU(4, 4, batch_first=True)
layers = nn.ModuleList([nn.RNN(4, 4, batch_first=True)])


@torch.compile
def f(x: torch.Tensor):
    out, hidden = gru(x)  # expect: TCD601 "GRU"
    return out * 2


def probe():
    return f, (torch.ones(2, 3, 4),)

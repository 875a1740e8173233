import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


@torch.compile
def f(x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    y = x + 1
    packed = pack_padded_sequence(y, lengths, batch_first=True, enforce_sorted=False)  # expect: TCD611
    out, _ = pad_packed_sequence(packed, batch_first=True)  # expect: TCD611
    return out * 2


def probe():
    return f, (torch.ones(2, 3, 4), torch.tensor([3, 2]))

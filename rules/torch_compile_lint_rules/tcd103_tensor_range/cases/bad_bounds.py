import torch


@torch.compile
def window(x: torch.Tensor, lengths: torch.Tensor):
    y = x + 1
    for i in range(1, lengths.max(), 2):  # expect: TCD103 "`lengths.max()`"
        y = y + i
    return y


def probe():
    return window, (torch.ones(2), torch.tensor([2, 4]))

import torch


@torch.compile
def pick(x: torch.Tensor, use_max: bool = True):
    y = x + 1
    peak = y.max() if use_max else y.mean()
    return (torch.where(torch.logical_not(peak == 0), y / peak, y)) - 1


def probe():
    return pick, (torch.ones(2),)

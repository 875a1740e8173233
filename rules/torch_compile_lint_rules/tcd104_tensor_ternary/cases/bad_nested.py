import torch


@torch.compile
def pick(x: torch.Tensor, use_max: bool = True):
    y = x + 1
    peak = y.max() if use_max else y.mean()
    return (y / peak if not peak == 0 else y) - 1  # expect: TCD104 "`peak == 0`"


def probe():
    return pick, (torch.ones(2),)

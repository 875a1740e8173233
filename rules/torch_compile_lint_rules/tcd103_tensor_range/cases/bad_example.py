import torch


@torch.compile
def accumulate(x: torch.Tensor, steps: torch.Tensor) -> torch.Tensor:
    y = x + 1
    for i in range(steps):  # expect: TCD103 "`range` needs the value of `steps`"
        y = y + i
    return y * 2


def probe():
    return accumulate, (torch.ones(2), torch.tensor(3))

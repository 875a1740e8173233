import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    with torch.device("cpu"):  # expect: TCD310 "torch.device as a context cannot be traced: the whole frame"
        y = torch.ones(3)
    return x * y + 1


def probe():
    return f, (torch.ones(2, 3),)

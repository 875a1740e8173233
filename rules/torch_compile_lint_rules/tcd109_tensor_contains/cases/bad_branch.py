import torch


@torch.compile
def f(x: torch.Tensor, index: int = 7) -> torch.Tensor:
    y = x + 1
    if index not in x:  # expect: TCD109
        y = y * 2
    return y


def probe():
    return f, (torch.ones(2, 3),)

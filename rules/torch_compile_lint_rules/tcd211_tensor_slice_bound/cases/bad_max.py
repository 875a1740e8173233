import torch


@torch.compile
def f(x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y[lengths.min() - 1 :] * 2  # expect: TCD211 "`lengths.min() - 1`"


def probe():
    return f, (torch.ones(2, 3), torch.tensor([1, 2]))

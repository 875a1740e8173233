import torch


@torch.compile
def f(x: torch.Tensor, length: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y[:, :length] * 2  # expect: TCD211 "slice bound `length` is a tensor"


def probe():
    return f, (torch.ones(2, 3), torch.tensor(2))

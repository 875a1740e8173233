import torch

HISTORY = []


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    HISTORY.append(y)  # expect: TCD703 "outlives the call"
    return y * 2


def probe():
    return f, [(torch.ones(2, 3),)] * 4

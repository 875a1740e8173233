# torch: 2.9, 2.14
import torch

CALLS = 0


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    global CALLS
    CALLS += 1  # expect[2.3-2.13]: TCD702 "`CALLS += 1` changes a global number"
    return (x + 1) * 2


def probe():
    return f, [(torch.ones(2, 3),)] * 4

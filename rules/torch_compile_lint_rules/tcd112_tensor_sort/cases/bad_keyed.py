# torch: 2.3, 2.6, 2.9, 2.13, 2.14
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    longest = max([y, x], key=lambda t: t.shape[0])  # expect[2.3-2.13]: TCD112 "`max` with a key compares the tensors"
    return y * longest


def probe():
    return f, (torch.ones(2, 3),)

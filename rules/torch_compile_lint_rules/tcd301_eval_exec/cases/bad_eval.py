# torch: 2.3, 2.9, 2.13, 2.14
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * eval("2 + 1")  # expect[2.3-2.9]: TCD301 "runs text"


def probe():
    return f, (torch.ones(2, 3),)

# torch: 2.3, 2.6, 2.9, 2.13, 2.14
import torch


class Box:
    def __init__(self):
        self.a = 2



@torch.compile
def f(x: torch.Tensor, box=Box()) -> torch.Tensor:
    y = x + 1
    y = y * len(locals())  # expect[2.3-2.9]: TCD303
    return y * vars(box)["a"]  # expect[2.3-2.6]: TCD303


def probe():
    return f, (torch.ones(2, 3),)

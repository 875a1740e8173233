# torch: 2.3, 2.6, 2.14
import torch


@torch.compile
def f(x: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y.sum() + torch.arange(count).sum()  # expect[2.3]: TCD216 "`torch.arange` needs the value of `count`"


def probe():
    return f, (torch.ones(2, 3), torch.tensor(3))

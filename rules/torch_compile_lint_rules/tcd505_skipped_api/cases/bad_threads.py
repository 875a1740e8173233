# torch: 2.6, 2.14
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    torch.set_num_threads(1)  # expect: TCD505
    return y * 2


def probe():
    return f, (torch.ones(2, 3),)

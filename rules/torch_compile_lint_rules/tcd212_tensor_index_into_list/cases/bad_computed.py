# torch: 2.3, 2.14
import torch


@torch.compile
def f(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    top = index.sum()
    return (x + 1)[top] * 2  # expect: TCD212 "index `top` is a 0-d tensor that the graph computes"


def probe():
    return f, (torch.ones(2, 3), torch.tensor(1))

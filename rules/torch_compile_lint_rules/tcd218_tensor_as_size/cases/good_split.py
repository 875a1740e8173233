# torch: 2.3, 2.6, 2.9, 2.13, 2.14
# Places that are numbers, also where a tensor was made of them.
import torch


@torch.compile
def f(x: torch.Tensor, count: int) -> torch.Tensor:
    y = x + 1
    first = torch.tensor_split(y, count)[0] * 2
    second = y.tensor_split((1, 2))[0] * 2
    return first.sum() + second.sum() + torch.tensor_split(y, torch.tensor([1]))[0]


def probe():
    return f, (torch.rand(4, 3), 2)

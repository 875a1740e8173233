import torch


@torch.compile
def f(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    y = x + 1
    sizes = [1, 2, 3]
    return y[index] * sizes[0] * sizes[x.dim() - 1] * sizes[-1] * {"a": 1}["a"]


def probe():
    return f, (torch.ones(2, 3), torch.tensor([1]))

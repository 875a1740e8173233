import torch


@torch.compile
def f(x: torch.Tensor, sizes: torch.Tensor) -> torch.Tensor:
    y = x + 1
    a, b = sizes.unbind()
    return y * a + b


def probe():
    return f, (torch.ones(2, 3), torch.tensor([2, 3]))

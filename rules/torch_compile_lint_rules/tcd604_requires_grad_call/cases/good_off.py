import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y.requires_grad_(False)
    z = torch.zeros_like(x).requires_grad_(requires_grad=False)
    return x * y + z + torch.ones(2, 3, requires_grad=False) + x.new_zeros(2, 3, requires_grad=True)


def probe():
    return f, (torch.ones(2, 3),)

import torch


@torch.compile
def f(x: torch.Tensor, asks: bool) -> torch.Tensor:
    y = torch.zeros_like(x, requires_grad=asks)
    if asks:
        y.requires_grad_(True)
    return x + y


def probe():
    return f, (torch.ones(2, 3), False)

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = torch.ones(3, device="cpu")
    return x * y + 1


def probe():
    return f, (torch.ones(2, 3),)

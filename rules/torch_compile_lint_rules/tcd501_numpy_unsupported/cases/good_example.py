import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * (y / 10.0).clamp(0.0, 1.0)


def probe():
    return f, (torch.ones(2, 3),)

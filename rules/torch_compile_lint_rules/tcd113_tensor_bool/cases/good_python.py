import torch


@torch.compile
def f(x: torch.Tensor, n: int = 2) -> torch.Tensor:
    y = x + 1
    return y * bool(x.shape[0]) * bool(n) * bool(x.is_floating_point())


def probe():
    return f, (torch.ones(2, 3),)

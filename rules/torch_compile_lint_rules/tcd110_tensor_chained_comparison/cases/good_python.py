import torch


@torch.compile
def f(x: torch.Tensor, n: int = 3) -> torch.Tensor:
    y = x + 1
    small = 0 < x.shape[0] < 10
    odd = 1 <= n <= 5 and 0 < x.dim() < 4
    return y * small * odd


def probe():
    return f, (torch.ones(2, 3),)

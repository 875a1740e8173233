import torch


@torch.compile
def f(x: torch.Tensor, scale: float = 2.0) -> torch.Tensor:
    y = x + 1
    h = int(x.shape[0] * 2)
    w = int(x.size(1) ** 0.5) + int("3") + int(scale) + int(len(x))
    return y * h * w * float(x.shape[1]) * int(x.dim())


def probe():
    return f, (torch.ones(2, 3),)

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return torch.eq(x, y) * y * (x == y) * (x.eq(y)).all()


def probe():
    return f, (torch.ones(2, 3),)

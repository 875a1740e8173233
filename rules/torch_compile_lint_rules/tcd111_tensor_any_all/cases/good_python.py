import torch


@torch.compile
def f(x: torch.Tensor, flags=(True, True)) -> torch.Tensor:
    y = x + 1
    if any(s > 1 for s in x.shape) and all(isinstance(t, torch.Tensor) for t in [x, y]):
        y = y * 2
    if any(t is None for t in [x, y]) or not all(flags):
        y = y * 3
    return y * (y > 0).any() * (y > 0).all()


def probe():
    return f, (torch.ones(2, 3),)

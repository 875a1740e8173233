import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    keep = (y.sum(1) > 0).unsqueeze(1)
    return (y * 2 * keep)[0] - 1


def probe():
    return f, (torch.ones(2, 3),)

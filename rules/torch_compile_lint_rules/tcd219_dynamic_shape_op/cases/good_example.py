import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    i, j = torch.triu_indices(3, 3, offset=1)
    return torch.stack([y[0][i], y[0][j]]).sum() + y


def probe():
    return f, (torch.ones(2, 3),)

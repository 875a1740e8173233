import torch


@torch.compile
def f(x: torch.Tensor, length: torch.Tensor) -> torch.Tensor:
    y = x + 1
    inside = torch.arange(y.shape[1]) < length
    return torch.where(inside, y, 0.0) * 2


def probe():
    return f, (torch.ones(2, 3), torch.tensor(2))

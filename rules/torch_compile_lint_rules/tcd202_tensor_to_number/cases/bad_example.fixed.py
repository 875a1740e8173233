import torch


@torch.compile
def f(x: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * count.detach().long()


def probe():
    return f, (torch.ones(2, 3), torch.tensor(2))

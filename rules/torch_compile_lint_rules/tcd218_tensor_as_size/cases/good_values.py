import torch


@torch.compile
def f(x: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
    y = torch.full((2, 3), x.sum()) + x.clamp(max=x.mean()) + torch.zeros(count, 2).sum()
    return y.fill_(x.mean()).view(-1, 3).masked_fill(y > 3, 0.0)


def probe():
    return f, (torch.ones(2, 3), torch.tensor(3))

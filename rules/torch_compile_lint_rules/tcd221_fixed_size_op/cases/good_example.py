import torch


@torch.compile(dynamic=True)
def noisy(count: torch.Tensor, chance: torch.Tensor) -> torch.Tensor:
    y = chance * 0.5
    return y + (torch.rand(3, *y.shape) < y).sum(0)


@torch.compile(dynamic=True)
def others(x: torch.Tensor) -> torch.Tensor:
    y = x * 0.5
    return y + torch.bernoulli(y) + torch.poisson(y) + torch.histc(y, 5)


def probe_noisy():
    return noisy, (torch.ones(4, 4) * 3, torch.ones(4, 4) / 2)


def probe_others():
    return others, (torch.ones(4, 5) / 2,)

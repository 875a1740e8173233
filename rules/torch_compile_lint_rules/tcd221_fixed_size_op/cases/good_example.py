import torch


@torch.compile
def noisy(count: torch.Tensor, chance: torch.Tensor) -> torch.Tensor:
    y = chance * 0.5
    return y + (torch.rand(3, *y.shape) < y).sum(0)


@torch.compile
def others(x: torch.Tensor) -> torch.Tensor:
    y = x * 0.5
    return y + torch.bernoulli(y)


def any_size(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
    for tensor in tensors:
        torch._dynamo.mark_dynamic(tensor, 0)
    return tensors


def probe_noisy():
    return noisy, any_size(torch.ones(4, 4) * 3, torch.ones(4, 4) / 2)


def probe_others():
    return others, any_size(torch.ones(4, 5) / 2)

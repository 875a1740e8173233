import torch


@torch.compile
def noisy(count: torch.Tensor, chance: torch.Tensor) -> torch.Tensor:
    y = chance * 0.5
    return y + torch.binomial(count, y)  # expect: TCD221 "a second size breaks the graph"


@torch.compile
def weights(alpha: torch.Tensor) -> torch.Tensor:
    y = alpha + 0.1
    return y * torch._sample_dirichlet(y)  # expect: TCD221


def any_size(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
    for tensor in tensors:
        torch._dynamo.mark_dynamic(tensor, 0)
    return tensors


def probe_noisy():
    return noisy, any_size(torch.ones(4, 4) * 3, torch.ones(4, 4) / 2)


def probe_weights():
    return weights, any_size(torch.ones(4, 4))

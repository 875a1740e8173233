import torch


@torch.compile
def gamma(alpha: torch.Tensor) -> torch.Tensor:
    y = alpha + 0.1
    return y * torch._standard_gamma(y)  # expect[-2.9]: TCD221


def any_size(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
    for tensor in tensors:
        torch._dynamo.mark_dynamic(tensor, 0)
    return tensors


def probe():
    return gamma, any_size(torch.ones(4, 5))

import torch


@torch.compile(dynamic=True)
def gamma(alpha: torch.Tensor) -> torch.Tensor:
    y = alpha + 0.1
    return y * torch._standard_gamma(y)  # expect[-2.9]: TCD221


def probe():
    return gamma, (torch.ones(4, 5),)

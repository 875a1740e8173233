import torch
import torch._dynamo

torch._dynamo.config.capture_scalar_outputs = True


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    length = y.sum().long()
    return y.sum() + torch.zeros(length, 2).sum()


def probe():
    return f, (torch.ones(2, 3),)

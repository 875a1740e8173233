import torch
import torch._dynamo

torch._dynamo.config.capture_scalar_outputs = True


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    total = y.sum().item()
    return y * total


def probe():
    return f, (torch.ones(2, 3),)

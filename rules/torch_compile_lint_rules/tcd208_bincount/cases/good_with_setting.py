# torch: 2.9, 2.13, 2.14
import torch
import torch._dynamo

torch._dynamo.config.capture_dynamic_output_shape_ops = True


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x.long().flatten()
    return torch.bincount(y) * 2


def probe():
    return f, (torch.ones(2, 3),)

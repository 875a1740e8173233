import torch
import torch._dynamo

torch._dynamo.config.capture_dynamic_output_shape_ops = True


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x - 2
    positive = y[y > 0]
    return positive.sum() * 2


def probe():
    return f, (torch.ones(2, 3),)

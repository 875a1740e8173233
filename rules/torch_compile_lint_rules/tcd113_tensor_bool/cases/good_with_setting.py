# torch: 2.13, 2.14
import torch
import torch._dynamo

torch._dynamo.config.capture_scalar_outputs = True


@torch.compile
def f(x: torch.Tensor):
    y = x + 1
    return y, bool(torch.isnan(y).any())


def probe():
    return f, (torch.ones(2, 3),)

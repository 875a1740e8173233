# torch: 2.13, 2.14
import torch
import torch._dynamo

torch._dynamo.config.capture_scalar_outputs = True


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    torch._check_tensor_all(y > 0)
    return y * 2


def probe():
    return f, (torch.ones(2, 3),)

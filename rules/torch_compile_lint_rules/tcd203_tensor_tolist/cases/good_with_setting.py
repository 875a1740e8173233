import torch
import torch._dynamo

torch._dynamo.config.capture_scalar_outputs = True


@torch.compile
def f(x: torch.Tensor, sizes: torch.Tensor) -> torch.Tensor:
    y = x + 1
    a, b = sizes.tolist()
    return y * a + b


def probe():
    return f, (torch.ones(2, 3), torch.tensor([2, 3]))

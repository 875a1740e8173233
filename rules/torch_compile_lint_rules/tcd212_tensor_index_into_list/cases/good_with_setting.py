# torch: 2.13, 2.14
import torch
import torch._dynamo

torch._dynamo.config.capture_scalar_outputs = True


@torch.compile
def f(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    y = x + 1
    scales = [1, 2, 3]
    return y * scales[index]


def probe():
    return f, (torch.ones(2, 3), torch.tensor(1))

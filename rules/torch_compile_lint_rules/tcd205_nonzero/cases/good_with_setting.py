import torch
import torch._dynamo

torch._dynamo.config.capture_dynamic_output_shape_ops = True


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x - 2
    rows, columns = torch.where(y > 0)
    return y[rows, columns] * 2


def probe():
    return f, (torch.ones(2, 3),)

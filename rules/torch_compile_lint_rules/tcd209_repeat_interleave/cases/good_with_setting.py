import torch
import torch._dynamo

torch._dynamo.config.capture_dynamic_output_shape_ops = True


@torch.compile
def f(x: torch.Tensor, repeats: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return torch.repeat_interleave(y, repeats, dim=0) * 2


def probe():
    return f, (torch.ones(2, 3), torch.tensor([2, 3]))

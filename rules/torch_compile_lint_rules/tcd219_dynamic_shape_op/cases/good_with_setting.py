import numpy as np
import torch
import torch._dynamo

torch._dynamo.config.capture_dynamic_output_shape_ops = True


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y + len(np.nonzero(y.numpy())[0])


def probe():
    return f, (torch.ones(2, 3),)

import warnings

import torch
import torch._dynamo

torch._dynamo.config.reorderable_logging_functions.add(warnings.warn)


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    warnings.warn("slow path")
    return y * 2


def probe():
    return f, (torch.ones(2, 3),)

import torch
import torch._dynamo

torch._dynamo.config.reorderable_logging_functions.add(print)


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    print("mean", y.mean())
    return y * 2


def probe():
    return f, (torch.ones(2, 3),)

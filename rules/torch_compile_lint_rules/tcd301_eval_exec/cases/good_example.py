import torch

scope = {}
exec("def double(x):\n    return x * 2\n", scope)
double = scope["double"]


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return double(x + 1) - 1


def probe():
    return f, (torch.ones(2, 3),)

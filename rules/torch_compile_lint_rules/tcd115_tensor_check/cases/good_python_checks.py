import torch


@torch.compile
def of_a_shape(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    torch._check(y.dim() == 2)
    return y * 2


@torch.compile
def eagerly(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if not torch.compiler.is_compiling():
        torch._check_tensor_all(y > 0)
    return y * 2


def probe():
    return of_a_shape, (torch.ones(2, 3),)


def probe_eagerly():
    return eagerly, (torch.ones(2, 3),)

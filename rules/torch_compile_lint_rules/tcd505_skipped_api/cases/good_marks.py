import torch
import torch._dynamo


@torch.compile
def static(x: torch.Tensor) -> torch.Tensor:
    torch._dynamo.mark_static(x, 0)
    return x * 2


@torch.compile
def while_eager(x: torch.Tensor) -> torch.Tensor:
    if not torch.compiler.is_compiling():
        torch._dynamo.mark_dynamic(x, 0)
    return x * 2


def outside(x: torch.Tensor) -> torch.Tensor:
    torch._dynamo.mark_dynamic(x, 0)
    return static(x)


def probe():
    return static, (torch.ones(3),)


def probe_while_eager():
    return while_eager, (torch.ones(3),)

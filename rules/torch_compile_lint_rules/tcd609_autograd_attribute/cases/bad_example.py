import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if y.grad_fn is not None:  # expect: TCD609 "`y.grad_fn` is not there while tracing: the whole frame"
        y = y * 3
    return y * 2


def probe():
    return f, (torch.ones(2, 3).requires_grad_(),)

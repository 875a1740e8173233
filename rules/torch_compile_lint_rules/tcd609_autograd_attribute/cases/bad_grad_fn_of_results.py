import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    x = x * 2
    if x.grad_fn is None:  # expect: TCD609 "`x.grad_fn` is not there while tracing: the whole frame"
        return x
    return x + 1


def probe():
    return f, (torch.ones(3, requires_grad=True),)

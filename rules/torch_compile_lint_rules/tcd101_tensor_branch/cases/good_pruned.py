import torch


@torch.compile
def f(x: torch.Tensor):
    y = x + 1
    if not torch.compiler.is_compiling():
        if y.sum() > 0:
            y = y * 2
    if torch.jit.is_tracing() and y.sum() > 0:
        y = y * 2
    return y


def probe():
    return f, (torch.full((2,), -3.0),)

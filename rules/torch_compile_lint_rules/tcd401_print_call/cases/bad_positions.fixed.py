import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    for _ in range(2):
        y = y * 2
        if not torch.compiler.is_compiling():
            print("step")
    return y


def probe():
    return f, (torch.ones(2, 3),)

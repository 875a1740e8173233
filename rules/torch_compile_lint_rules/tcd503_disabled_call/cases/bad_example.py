import torch


@torch.compiler.disable
def helper(y):
    return y * 2


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    for _ in range(4):
        x = helper(x + 1)  # expect: TCD503 "`helper(...)` is under torch.compiler.disable: the whole frame"
    return x - 1


def probe():
    return f, (torch.ones(2, 3),)

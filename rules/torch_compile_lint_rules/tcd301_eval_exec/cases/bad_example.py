import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    scope = {}
    exec("factor = 2", scope)  # expect: TCD301 "runs text as code"
    return y * scope["factor"]


def probe():
    return f, (torch.ones(2, 3),)

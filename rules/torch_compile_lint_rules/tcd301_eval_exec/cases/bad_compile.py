import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    scope = {}
    exec(compile("factor = 2", "<s>", "exec"), scope)  # expect: TCD301, TCD301
    return y * scope["factor"]


def probe():
    return f, (torch.ones(2, 3),)

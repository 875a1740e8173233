import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return (x + 1) * torch.rand(3)


NONDETERMINISTIC = True


def probe():
    return f, (torch.ones(2, 3),)

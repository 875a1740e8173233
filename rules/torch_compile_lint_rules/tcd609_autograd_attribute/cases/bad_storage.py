import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * y.untyped_storage().nbytes()  # expect: TCD609


def probe():
    return f, (torch.ones(2, 3),)

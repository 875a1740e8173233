import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    torch._assert_async((y > 0).all(), "not positive")
    return y * 2


def probe():
    return f, (torch.ones(2, 3),)

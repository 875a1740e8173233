# torch: 2.6, 2.9, 2.13, 2.14
import torch


@torch.compile
def f(x: torch.Tensor, rate: float) -> torch.Tensor:
    y = x + 1
    y.addcdiv_(x, y, value=-rate)
    y = y * 2
    y.addcmul_(next(iter((2, 3))), x, x)
    y = y * 2
    y.add_(rate, changed(x))
    return y * 2


def changed(x: torch.Tensor) -> torch.Tensor:
    # Called by name, it may change what the number is made of: no fix above.
    return x.sin()


def probe():
    return f, (torch.ones(2, 3), 0.5)

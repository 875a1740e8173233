import torch


@torch.compile
def f(x: torch.Tensor, flag: bool = False, mask=None) -> torch.Tensor:
    y = x + 1
    missing = not flag
    same = not x.is_floating_point()
    absent = not (mask is None)
    return y * (~(y > 0)) * missing * same * absent


def probe():
    return f, (torch.ones(2, 3),)

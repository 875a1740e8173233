import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    match tuple(x.shape):
        case (2, columns):
            y = y + columns
    match x.dim():
        case 2:
            y = y * 2
    return y


def probe():
    return f, (torch.ones(2, 3),)

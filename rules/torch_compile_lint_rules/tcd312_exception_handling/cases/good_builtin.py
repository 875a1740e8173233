import torch


class Box:
    pass


@torch.compile
def f(x: torch.Tensor, box=Box()) -> torch.Tensor:
    y = x + 1
    try:
        y = y * 2
        if x.dim() == 2:
            raise ValueError("a")
    except ValueError:
        y = y * 3
    finally:
        y = y - 1
    try:
        s = {"a": 1}["b"]
    except KeyError:
        s = 5
    try:
        s = s + box.missing
    except AttributeError:
        s = s + 1
    return y * s


def probe():
    return f, (torch.ones(2, 3),)

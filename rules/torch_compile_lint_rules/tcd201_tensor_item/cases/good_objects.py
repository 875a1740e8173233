import torch


class Box:
    def item(self):
        return 3



@torch.compile
def f(x: torch.Tensor, box=Box()) -> torch.Tensor:
    y = x + 1
    for key, value in {"a": 1, "b": 2}.items():
        y = y + value
    return y * box.item()


def probe():
    return f, (torch.ones(2, 3),)

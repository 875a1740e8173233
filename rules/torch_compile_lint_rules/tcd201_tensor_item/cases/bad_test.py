import torch


@torch.compile
def f(x: torch.Tensor, y: torch.Tensor, scale: torch.Tensor, flag: bool = True) -> torch.Tensor:
    a = x + 1
    if a.sum().item() > 3:  # expect: TCD201 "graph break"
        a = a * 2
    b = y - 1 if not scale.item() else y + 1  # expect: TCD201
    if flag and (a > 0).all().item() and b.mean().item() <= a.mean().item():  # expect: TCD201, TCD201, TCD201
        b = a
    if scale.item() == 7:  # expect: TCD201
        raise ValueError(f"bad scale {scale}")
    return a + b


def probe():
    return f, (torch.ones(3), torch.zeros(3), torch.tensor([2.0]))

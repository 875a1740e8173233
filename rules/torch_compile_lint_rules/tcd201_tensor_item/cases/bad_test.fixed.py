import torch


@torch.compile
def f(x: torch.Tensor, y: torch.Tensor, scale: torch.Tensor, flag: bool = True) -> torch.Tensor:
    a = x + 1
    a = torch.where(a.sum() > 3, a * 2, a)
    b = torch.where(torch.logical_not(scale.reshape(()) != 0), y - 1, y + 1)
    if flag:
        b = torch.where(torch.logical_and((a > 0).all(), b.mean() <= a.mean()), a, b)
    assert torch.logical_not(scale.reshape(()) == 7), "bad scale {scale}"
    return a + b


def probe():
    return f, (torch.ones(3), torch.zeros(3), torch.tensor([2.0]))

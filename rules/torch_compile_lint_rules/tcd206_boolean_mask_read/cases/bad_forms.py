import torch


@torch.compile
def f(x: torch.Tensor, mask: torch.BoolTensor) -> torch.Tensor:
    y = x - 2
    keep = mask & (y[:, 0] > -5)
    a = y[keep, 1].sum()  # expect: TCD206
    b = y[~mask].sum()  # expect: TCD206
    return a + b + torch.masked_select(y, y > 0).sum()  # expect: TCD206 "`torch.masked_select(...)`"


def probe():
    return f, (torch.ones(2, 3), torch.tensor([True, False]))

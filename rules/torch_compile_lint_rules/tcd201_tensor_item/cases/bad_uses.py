import torch


@torch.compile
def f(x: torch.Tensor, n: torch.Tensor):
    y = x + 1
    if y.sum().item() > 0:  # expect: TCD201
        y = y * 2
    for i in range(n.item()):  # expect: TCD201
        y = y + i
    width = n.max().item()  # expect: TCD201
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = y * y.mean().item()  # expect: TCD201 "graph break"
    return y[:, :width] * torch.zeros(n.item(), 1).sum(), y.sum().item()  # expect: TCD201, TCD201


def probe():
    return f, (torch.ones(2, 3), torch.tensor(2))

import torch


@torch.compile
def f(x: torch.Tensor, n: torch.Tensor):
    y = x + 1
    y = torch.where(y.sum() > 0, y * 2, y)
    for i in range(n.item()):
        y = y + i
    width = n.max().item()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = y * y.mean().detach()
    return y[:, :width] * torch.zeros(n.item(), 1).sum(), y.sum().item()


def probe():
    return f, (torch.ones(2, 3), torch.tensor(2))

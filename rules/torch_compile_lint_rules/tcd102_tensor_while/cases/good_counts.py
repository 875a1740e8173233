import torch


@torch.compile
def halve(x: torch.Tensor):
    n = x.shape[0]
    while n > 1:
        x = x * 0.5
        n //= 2
    stack = [x, x + 1]
    while stack:
        x = x + stack.pop()
    while x.dim() < 4:
        x = x.unsqueeze(0)
    return x


def probe():
    return halve, (torch.ones(8),)

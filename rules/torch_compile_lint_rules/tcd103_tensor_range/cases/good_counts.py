import torch


@torch.compile
def rows(x: torch.Tensor):
    y = x + 1
    for i in range(x.shape[0]):
        y = y + i
    for i in range(x.size(1)):
        y = y + i
    for i in range(len(x)):
        y = y + i
    for i, row in enumerate(x):
        y = y + row * i
    return y


def probe():
    return rows, (torch.ones(2, 3),)

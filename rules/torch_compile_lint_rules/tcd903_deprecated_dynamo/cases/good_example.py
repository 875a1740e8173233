import torch


def f(x):
    return x * 2


g = torch.compile(f, backend="eager")

import torch


def f(x):
    return x * 2


g = torch.compile(f, backend="eager")


def probe():
    g(torch.ones(3))
    return "ok"

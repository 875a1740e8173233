import torch
import torch._dynamo


def f(x):
    return x * 2


g = torch.compile(backend="eager", dynamic=True, fullgraph=True)(f)


def probe():
    g(torch.ones(3))
    return "misuse"

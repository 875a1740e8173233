import torch
import torch._dynamo


def f(x):
    return x * 2


g = torch._dynamo.optimize_assert("eager", dynamic=True)(f)  # expect: TCD903


def probe():
    g(torch.ones(3))
    return "misuse"

import torch
import torch._dynamo


def f(x):
    return x * 2


g = torch._dynamo.optimize("eager")(f)  # expect: TCD903 "old spelling of torch.compile"


def probe():
    g(torch.ones(3))
    return "misuse"

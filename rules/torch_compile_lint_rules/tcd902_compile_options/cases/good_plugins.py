import torch
from torch._dynamo import register_backend


def f(x):
    return x * 2


def plugins():
    @register_backend
    def inducter(gm, example_inputs):
        return gm.forward

    return (
        torch.compile(f, backend="inducter"),
        torch.compile(f, backend="tensorrt"),
        torch.compile(f, backend=inducter, mode=None),
    )

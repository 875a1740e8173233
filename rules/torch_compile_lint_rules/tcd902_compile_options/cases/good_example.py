import torch


def f(x):
    return x * 2


a = torch.compile(f, mode="max-autotune", fullgraph=True, dynamic=False)
b = torch.compile(f, options={"max_autotune": True})
c = torch.compile(f, backend="eager", disable=False)
d = torch.compile(f, **{"mode": "default"})

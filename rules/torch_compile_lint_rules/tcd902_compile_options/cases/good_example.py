import torch


def f(x):
    return x * 2


a = torch.compile(f, mode="max-autotune", fullgraph=True, dynamic=False)
b = torch.compile(f, options={"max_autotune": True, "triton.cudagraphs": False, "epilogue-fusion": True})
c = torch.compile(f, backend="eager", disable=False)
d = torch.compile(f, **{"mode": "default"})
e = torch.compile(f, mode=None, options={"max_autotune": True})


def probe():
    for one in (c, d):
        if one is d:
            break
        one(torch.ones(3))
    return "ok"

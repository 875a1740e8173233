import torch


def f(x):
    return x * 2


def invented():
    a = torch.compile(f, mode="fastest")  # expect: TCD902 "has no mode `fastest`: raises"
    b = torch.compile(f, mode="max-autotune", options={"max_autotune": True})  # expect: TCD902 "not both"
    c = torch.compile(f, optimize=True)  # expect: TCD902 "no parameter `optimize`"
    return a, b, c


def probe():
    try:
        invented()
    except (RuntimeError, TypeError):
        return "error"
    return "ok"

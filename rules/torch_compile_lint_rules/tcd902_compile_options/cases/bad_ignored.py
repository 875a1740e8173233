# torch: 2.3, 2.14
import torch


def f(x):
    return x * 2


def ignored():
    g = torch.compile(f, backend="eager", mode="max-autotune")  # expect: TCD902 "ignores `mode`"
    h = torch.compile(f, backend="aot_eager", options={"nonsense": 1})  # expect: TCD902 "ignores `options`"
    return g, h


def probe():
    for one in ignored():
        try:
            one(torch.ones(3))
        except Exception:
            return "error"
    return "misuse"

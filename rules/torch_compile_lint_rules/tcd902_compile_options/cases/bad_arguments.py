import torch
from torch import compile as compiled


def f(x):
    return x * 2


def mode():
    return torch.compile(f, mode="fastest")  # expect: TCD902 "has no mode `fastest`"


def both():
    return torch.compile(f, mode="default", options={"max_autotune": True})  # expect: TCD902 "not both"


def keyword():
    return torch.compile(f, optimize=True)  # expect: TCD902 "no parameter `optimize`"


def positional():
    return compiled(f, True)  # expect: TCD902 "not `True` as a second"


def option():
    options = dict()
    return torch.compile(f, options={"autotune": True, **options})  # expect: TCD902 "no option `autotune`"


def wrong_type():
    return torch.compile(f, options={"max_autotune": "yes"})  # expect: TCD902 "is a bool, not a str"


def backend():
    return torch.compile(f, backend="inducter")  # expect: TCD902 "no backend `inducter`"


def gone():
    return torch.compile(f, backend="nvfuser")  # expect: TCD902 "no backend `nvfuser`"


def dynamic():
    @torch.compile(dynamic="auto", backend="eager")  # expect: TCD902 "True, False or None"
    def g(x):
        return x * 2

    return g


def probe():
    for make in (mode, both, keyword, positional, option, wrong_type, backend, gone, dynamic):
        try:
            make()(torch.ones(3))
        except Exception:
            continue
        return f"ok: {make.__name__}"
    return "error"

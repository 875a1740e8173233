import torch
from torch import library


def register():
    @library.custom_op("tcd504c::double", mutates_args=())
    def double(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @double.register_fake
    def _(x):
        return torch.empty_like(x)

    return double


def probe():
    if not hasattr(library, "custom_op"):
        return "ok"
    double = register()
    f = torch.compile(lambda x: double(x + 1) + 1, backend="eager", fullgraph=True)
    f(torch.ones(3))
    return "ok"

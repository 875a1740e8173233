# Traced through: the body of a triton_op is looked into, also without a fake implementation.
import torch
from torch import library


def register():
    @library.triton_op("tcd504r::double", mutates_args={})
    def double(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    return double


def probe():
    if not hasattr(library, "triton_op"):
        return "ok"
    double = register()
    f = torch.compile(lambda x: double(x + 1) + 1, backend="eager", fullgraph=True)
    f(torch.ones(3))
    return "ok"

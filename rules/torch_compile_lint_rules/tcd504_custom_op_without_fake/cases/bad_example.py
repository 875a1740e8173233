# torch: 2.3, 2.14
import torch
from torch import library


def register():
    @library.custom_op("tcd504::double", mutates_args=())  # expect[2.6-]: TCD504 "`tcd504::double` has no fake"
    def double(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    return double


def probe():
    if not hasattr(library, "custom_op"):
        return "ok"
    double = register()
    f = torch.compile(lambda x: double(x + 1) + 1, backend="eager")
    try:
        f(torch.ones(3))
    except Exception as problem:
        return f"error: {type(problem).__name__}"
    return "ok"

import torch
from torch import library


def register():
    @library.custom_op("tcd504n::double_", mutates_args=("x",))
    def double_(x: torch.Tensor) -> None:
        x.mul_(2)

    return double_


def triple_(x: torch.Tensor) -> None:
    x.mul_(3)


def register_another():
    return library.custom_op("tcd504n::triple_", triple_, mutates_args=("x",))


def probe():
    if not hasattr(library, "custom_op"):
        return "ok"
    double_, other = register(), register_another()

    def f(x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        double_(y)
        other(y)
        return y + 1

    torch.compile(f, backend="eager", fullgraph=True)(torch.ones(3))
    return "ok"

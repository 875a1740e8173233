import torch
from torch import nn
from torch.utils.cpp_extension import load

load(name="ops", sources=["ops.cpp"], is_python_module=False)
built = load(name="plus", sources=["plus.cpp"])
SHIFT = built.shift


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.shift = built.plus_one(torch.zeros(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.ops.ops.plus_one(x) + self.shift


@torch.compiler.disable
def outside(x: torch.Tensor) -> torch.Tensor:
    return built.plus_one(x)


@torch.library.custom_op("mine::plus_one", mutates_args=())
def plus_one(x: torch.Tensor) -> torch.Tensor:
    return built.plus_one(x)


@plus_one.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


@torch.compile
def wrapped(x: torch.Tensor) -> torch.Tensor:
    return plus_one(x) * 2

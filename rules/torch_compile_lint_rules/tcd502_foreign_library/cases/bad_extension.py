import torch
from torch import nn
from torch.utils import cpp_extension
from torch.utils.cpp_extension import load

SOURCE = "at::Tensor plus_one(at::Tensor x) { return x + 1; }"
inline = cpp_extension.load_inline(name="plus", cpp_sources=[SOURCE], functions=["plus_one"])
loaded = load(name="plus", sources=["plus.cpp"], extra_cflags=["-O3"])


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.op = inline.plus_one

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = inline.plus_one(x * 2)  # expect: TCD502 "`inline.plus_one(...)` is a function of a C++ extension"
        y = self.op(y)  # expect: TCD502 "`self.op(...)` is a function of a C++ extension, which is not traced"
        return loaded.plus_one(y) * 3  # expect: TCD502 "`loaded.plus_one(...)`"

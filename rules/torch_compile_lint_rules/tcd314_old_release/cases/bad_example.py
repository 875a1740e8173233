# torch: 2.3, 2.6, 2.9, 2.13, 2.14
import dataclasses

import torch


@dataclasses.dataclass
class Options:
    scale: int = 2


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = pow(x, 2)  # expect[2.3-2.13]: TCD314 "builtin `pow` of the tensor `x`"
    torch._check(x.dim() == 2, lambda: "two dimensions")  # expect[2.3-2.9]: TCD314
    y.tag = 3  # expect[2.3-2.6]: TCD314 "sets an attribute on a tensor"
    options = dataclasses.replace(Options(), scale=3)  # expect[2.3-2.6]: TCD314
    return y * options.scale


def probe():
    return f, (torch.ones(2, 3),)

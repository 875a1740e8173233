# torch: 2.3, 2.6, 2.9, 2.14
import re

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if re.match("a+", "aa"):  # expect[2.3-2.9]: TCD313
        y = y * 2
    return y

# torch: 2.3, 2.6, 2.9, 2.14
import decimal

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return x + float(decimal.Decimal("1.5"))  # expect: TCD313 "graph break"


def probe():
    return f, (torch.ones(2, 3),)

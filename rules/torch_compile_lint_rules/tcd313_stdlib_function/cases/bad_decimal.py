# torch: 2.13
import decimal

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return x + float(decimal.Decimal("1.5"))  # expect: TCD313 "raises"


def probe():
    return f, (torch.ones(2, 3),)

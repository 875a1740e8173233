# torch: 2.6, 2.9, 2.13, 2.14
import numbers

import torch

SEQUENCES = (list, tuple)
KNOWN = (int, SEQUENCES)


@torch.compile
def check(x: torch.Tensor, shear: list[float]) -> torch.Tensor:
    y = x + 1
    if not isinstance(shear, (numbers.Number, (list, tuple))):  # expect[2.9-]: TCD315 "a tuple inside a tuple"
        raise TypeError("a number or a sequence")
    return y * shear[0]


@torch.compile
def named(x: torch.Tensor, count: int) -> torch.Tensor:
    y = x + 1
    return y * 2 if isinstance(count, KNOWN) else y  # expect[2.9-]: TCD315 "KNOWN"


def probe_check():
    return check, (torch.ones(2, 3), [2.0])


def probe_named():
    return named, (torch.ones(2, 3), 2)

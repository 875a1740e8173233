# torch: 2.6, 2.9, 2.13, 2.14
import numbers

import torch

SEQUENCES = (list, tuple)


@torch.compile
def flat(x: torch.Tensor, shear: list[float]) -> torch.Tensor:
    y = x + 1
    if not isinstance(shear, (numbers.Number, list, tuple)):
        raise TypeError("a number or a sequence")
    return y * shear[0] if isinstance(shear, SEQUENCES) else y


@torch.compile
def of_tensor(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * 2 if isinstance(y, (torch.Tensor, (int, float))) else y


def probe_flat():
    return flat, (torch.ones(2, 3), [2.0])


def probe_of_tensor():
    return of_tensor, (torch.ones(2, 3),)

# torch: 2.13, 2.14
import copy

import torch


@torch.compile
def inside(x: torch.Tensor) -> torch.Tensor:
    kept = copy.deepcopy({"a": x, "n": 1})  # expect: TCD309
    return kept["a"] + 1


@torch.compile
def shallow(x: torch.Tensor) -> torch.Tensor:
    rows = copy.copy([1, 2])  # expect: TCD309
    return x * rows[0]


def probe_inside():
    return inside, (torch.ones(2, 3),)


def probe_shallow():
    return shallow, (torch.ones(2, 3),)

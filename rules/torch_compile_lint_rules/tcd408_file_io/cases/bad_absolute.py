# torch: 2.3, 2.6, 2.9, 2.13, 2.14
import os

import torch


@torch.compile
def absolute(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    where = os.path.abspath("a")  # expect: TCD408 "asks the file system"
    return y * len(where[:1])


@torch.compile
def relative(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    where = os.path.relpath("a/b")  # expect: TCD408 "asks the file system"
    return y * len(where)


def probe_absolute():
    return absolute, (torch.ones(2, 3),)


def probe_relative():
    return relative, (torch.ones(2, 3),)

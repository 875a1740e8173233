# torch: 2.3, 2.6, 2.9, 2.13, 2.14
import os

import torch


@torch.compile
def joined(x: torch.Tensor, paths=("a", "b")) -> torch.Tensor:
    y = x + 1
    return y * len(os.path.join(*paths))  # expect[2.3]: TCD408 "os.fspath"


@torch.compile
def parts(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y = y * len(os.path.basename("a/b"))  # expect[2.3]: TCD408
    return y * len(os.path.splitext("a/b.c")[1])  # expect[2.3]: TCD408


def probe_joined():
    return joined, (torch.ones(2, 3),)


def probe_parts():
    return parts, (torch.ones(2, 3),)

import torch
from torch.utils.dlpack import from_dlpack, to_dlpack


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    capsule = to_dlpack(y)  # expect: TCD505 "`to_dlpack(...)` is skipped by Dynamo"
    return from_dlpack(capsule) * 2  # expect: TCD505 "`from_dlpack(...)` is skipped by Dynamo"


def probe():
    return f, (torch.ones(2, 3),)

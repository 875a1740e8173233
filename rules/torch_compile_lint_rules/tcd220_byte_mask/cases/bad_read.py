import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    mask = x.new_ones(3, dtype=torch.uint8)
    return x[mask] * 2  # expect: TCD220 "selects by a uint8 tensor"


def probe():
    return f, (torch.ones(3),)

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    mask = x.new_ones(3, dtype=torch.uint8)
    return x[mask] * 2  # expect: TCD220 "selects by a uint8 tensor"


@torch.compile
def g(x: torch.Tensor) -> torch.Tensor:
    mask = x.new_ones(3, dtype=torch.uint8)
    y = x.clone()
    y[mask] += 1  # expect: TCD220 "selects by a uint8 tensor"
    return y


def probe():
    return f, (torch.ones(3),)


def probe_augmented():
    return g, (torch.ones(3),)

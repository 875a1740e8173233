import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    mask = torch.ones_like(x, dtype=torch.uint8)
    return torch.where(mask.unsqueeze(0), x, x + 1)  # expect: TCD220 "a uint8 tensor"


def probe():
    return f, (torch.ones(3),)

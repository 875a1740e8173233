import torch


@torch.compile
def f(x: torch.Tensor, repeats: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return torch.repeat_interleave(y, repeats, dim=0) * 2  # expect: TCD209 "`torch.repeat_interleave(...)` is the sum of a tensor"


def probe():
    return f, (torch.ones(2, 3), torch.tensor([2, 3]))

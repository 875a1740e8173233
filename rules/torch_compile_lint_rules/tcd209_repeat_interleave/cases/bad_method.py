import torch


@torch.compile
def f(x: torch.Tensor, repeats: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y.repeat_interleave(repeats, 0) * 2  # expect: TCD209


def probe():
    return f, (torch.ones(2, 3), torch.tensor([2, 3]))

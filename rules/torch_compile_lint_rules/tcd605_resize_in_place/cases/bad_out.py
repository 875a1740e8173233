import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty(0)
    torch.add(x, 1, out=out)  # expect: TCD605 "writes into `out`, which is empty"
    return out * 2


def probe():
    return f, (torch.ones(2, 3),)

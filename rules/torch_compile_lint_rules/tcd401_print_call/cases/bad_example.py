import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    print("mean", y.mean())  # expect: TCD401 "writes while the graph is made: graph break"
    return y * 2


def probe():
    return f, (torch.ones(2, 3),)

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return torch.sparse.mm((x + 1).to_sparse(), x.t()) * 2  # expect: TCD610 "makes a sparse tensor inside the graph"


def probe():
    return f, (torch.ones(2, 3),)

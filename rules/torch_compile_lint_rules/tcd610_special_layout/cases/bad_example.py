import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    sparse = (x + 1).to_sparse()  # expect: TCD610 "makes a sparse tensor inside the graph"
    return torch.sparse.mm(sparse, x.t()) * 2


def probe():
    return f, (torch.ones(2, 3),)

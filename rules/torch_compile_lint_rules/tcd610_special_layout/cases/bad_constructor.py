# torch: 2.3, 2.6, 2.9, 2.13, 2.14
import torch


@torch.compile
def f(x: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    y = x + 1
    adjacency = torch.sparse_coo_tensor(places, y, (3, 3))  # expect: TCD610 "makes a sparse tensor inside the graph"
    return torch.mv(adjacency, y) * 2


def probe():
    return f, (torch.ones(3), torch.tensor([[0, 1, 2], [1, 2, 0]]))

import torch


@torch.compile
def a_tensor(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    k = x.argmax()
    y[k] = x[0].sum()  # expect[2.9-]: TCD212 "storing at the 0-d tensor `k` that the graph computes"
    return y * 2


def probe():
    return a_tensor, (torch.ones(4),)

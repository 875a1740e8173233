import torch


@torch.compile
def f(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    y = x + 1
    scales = torch.tensor([1, 2, 3])
    return y * scales.index_select(0, index)


def probe():
    return f, (torch.ones(2, 3), torch.tensor(1))

# torch: 2.3, 2.6, 2.14
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    pair = torch.tensor([y.sum(), y.max()])  # expect[2.3]: TCD215 "reads the tensors in `[y.sum(), y.max()]`"
    return y * pair[0]


def probe():
    return f, (torch.ones(2, 3),)

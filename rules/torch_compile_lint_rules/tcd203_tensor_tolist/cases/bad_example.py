# torch: 2.3, 2.9, 2.13, 2.14
import torch


@torch.compile
def f(x: torch.Tensor, sizes: torch.Tensor) -> torch.Tensor:
    y = x + 1
    a, b = sizes.tolist()  # expect[2.13-]: TCD203 "`sizes.tolist()` turns the tensor into Python numbers"
    return y * a + b


def probe():
    return f, (torch.ones(2, 3), torch.tensor([2, 3]))

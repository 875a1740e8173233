# torch: 2.3, 2.6, 2.9, 2.13, 2.14
import torch


@torch.compile
def f(x: torch.Tensor) -> tuple[torch.Tensor, list[list[float]]]:
    y = x.float() + 1
    shares = y.tolist()  # expect: TCD203 "`y.tolist()` turns the tensor into Python numbers"
    y = y * 2
    return y, shares + torch.rand(2, 3).tolist()  # expect: TCD203


def probe():
    return f, (torch.ones(2, 3),)

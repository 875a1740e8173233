# torch: 2.3, 2.6, 2.9, 2.13, 2.14
# A 0-d tensor is no number, and medians and the like check nothing.
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    half = torch.quantile(y, torch.tensor(0.5))
    return half + y.median() + y.kthvalue(1)[0].sum() + torch.var(y) + torch.std_mean(y)[0]


def probe():
    return f, (torch.rand(2, 4),)

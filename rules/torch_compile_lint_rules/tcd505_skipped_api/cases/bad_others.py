# torch: 2.3, 2.6, 2.9, 2.13, 2.14
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if torch.typename(y) == "torch.FloatTensor":  # expect: TCD505
        y = y * 2
    largest, _ = torch.lobpcg(torch.eye(9) * y.sum(), 1)  # expect: TCD505
    return y * largest


def probe():
    return f, (torch.ones(2, 3),)

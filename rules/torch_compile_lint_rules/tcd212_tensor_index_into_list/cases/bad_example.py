import torch


@torch.compile
def f(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    y = x + 1
    scales = [1, 2, 3]
    return y * scales[index]  # expect: TCD212 "`scales` is a Python sequence and `index` a tensor"


def probe():
    return f, (torch.ones(2, 3), torch.tensor(1))

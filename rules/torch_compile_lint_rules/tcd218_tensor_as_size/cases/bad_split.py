# torch: 2.3, 2.6, 2.9, 2.13, 2.14
import torch


@torch.compile
def f(x: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    y = x + 1
    first = torch.tensor_split(y, places)[0]  # expect: TCD218 "`torch.tensor_split` needs the value of `places`"
    return first * 2 + y.tensor_split(places + 1)[0].sum()  # expect: TCD218


def probe():
    return f, (torch.rand(4, 3), torch.tensor([1]))

# torch: 2.3, 2.6, 2.9
# A list of integers is traced before 2.13.
import torch


@torch.compile
def f(x: torch.Tensor, sizes: torch.LongTensor) -> tuple[torch.Tensor, list[int]]:
    y = x.sigmoid()
    return y * 2, (sizes + 1).tolist()


def probe():
    return f, (torch.ones(2, 3), torch.tensor([2, 3]))

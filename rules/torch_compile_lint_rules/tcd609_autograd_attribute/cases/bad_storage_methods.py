# torch: 2.3, 2.6, 2.9, 2.13, 2.14
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if y.untyped_storage().is_shared():  # expect: TCD609
        y = y * 3
    y = y * 2
    if x.untyped_storage().data_ptr() == 0:  # expect: TCD609 "looks at memory"
        y = y * 3
    return y


def probe():
    return f, (torch.ones(2, 3),)

# torch: 2.3, 2.6, 2.9, 2.13, 2.14
# The storage itself is traced, and so is its size().
import torch


@torch.compile
def f(x: torch.Tensor) -> tuple[torch.Tensor, torch.UntypedStorage]:
    y = x + 1
    if y.untyped_storage().size() > 10:
        y = y * 2
    return y * 2, y.untyped_storage()


def probe():
    return f, (torch.ones(2, 3),)

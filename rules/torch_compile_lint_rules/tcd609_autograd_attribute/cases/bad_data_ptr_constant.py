# torch: 2.3, 2.6, 2.13, 2.14
import torch


@torch.compile
def named(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    before = x.data_ptr()  # expect: TCD609 "`x.data_ptr()` is compared"
    return y * 2 if before == 0 else y * 3


def probe():
    return named, (torch.ones(4), torch.zeros(4))

import torch


@torch.compile
def same(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    z = x + 1
    assert z.data_ptr() != y.data_ptr()  # expect: TCD609 "`z.data_ptr()` is compared; there is no memory"
    return z * 2


def probe():
    return same, (torch.ones(4), torch.zeros(4))

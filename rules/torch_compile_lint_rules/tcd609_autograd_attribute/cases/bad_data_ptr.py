import torch


@torch.compile
def aligned(x: torch.Tensor) -> torch.Tensor:
    if x.data_ptr() % 16 == 0:  # expect: TCD609 "`x.data_ptr()` is calculated with; there is no memory while"
        return x * 2
    return x * 3


def probe():
    return aligned, (torch.ones(4),)

# torch: 2.3, 2.9
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    torch.clear_autocast_cache()  # expect: TCD505
    y = y * 2
    torch.set_autocast_cache_enabled(True)  # expect: TCD505
    return y * 2


def probe():
    return f, (torch.ones(2, 3),)

# torch: 2.13, 2.14
# Traced since 2.13.
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    torch.clear_autocast_cache()
    torch.set_autocast_cache_enabled(True)
    torch.set_default_dtype(torch.float32)
    return y * 2


def probe():
    return f, (torch.ones(2, 3),)

import torch


@torch.compile
def f(x: torch.Tensor, batch: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y + batch["y"] if "y" in batch else y


def probe():
    return f, (torch.ones(2), {"y": torch.ones(2)})

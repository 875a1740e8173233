import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1

    class Config:  # expect: TCD304 "class `Config` is made while tracing"
        scale = 2

    return y * Config.scale


def probe():
    return f, (torch.ones(2, 3),)

import threading

import torch

state = threading.local()
state.scale = 2


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return (x + 1) * state.scale


def probe():
    return f, (torch.ones(2, 3),)

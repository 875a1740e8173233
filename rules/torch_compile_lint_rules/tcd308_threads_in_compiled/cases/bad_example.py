import threading

import torch

lock = threading.Lock()


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    with lock:  # expect: TCD308 "a lock cannot be traced: the whole frame runs eagerly"
        y = y * 2
    return y - 1


def probe():
    return f, (torch.ones(2, 3),)

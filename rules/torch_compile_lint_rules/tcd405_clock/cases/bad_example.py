import time

import torch


@torch.compile
def f(x: torch.Tensor):
    y = x + 1
    began = time.perf_counter()  # expect: TCD405 "reads the clock"
    return y * 2, began


NONDETERMINISTIC = True


def probe():
    return f, (torch.ones(2, 3),)

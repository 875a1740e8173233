import contextlib

import torch


@torch.compile
def f(x: torch.Tensor, flag: bool = True):
    with torch.no_grad(), torch.enable_grad():
        y = x * 2
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = y + 1
    with torch.profiler.record_function("block"), contextlib.nullcontext():
        y = y * 2
    with torch.set_grad_enabled(flag):
        y = y * 2
    return y


def probe():
    return f, (torch.ones(2, 3),)

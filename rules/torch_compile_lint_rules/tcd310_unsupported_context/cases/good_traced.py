import contextlib

import torch


class Scale:
    def __init__(self, value):
        self.value = value

    def __enter__(self):
        return self.value

    def __exit__(self, *exc):
        return False


@contextlib.contextmanager
def scaled():
    yield 2


@torch.compile
def f(x: torch.Tensor, flag: bool = True):
    with torch.no_grad(), torch.enable_grad():
        y = x * 2
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = y + 1
    with torch.profiler.record_function("block"), contextlib.nullcontext():
        y = y * 2
    with Scale(2) as s:
        y = y * s
    with scaled() as s:
        y = y * s
    with torch.set_grad_enabled(flag):
        y = y * 2
    return y


def probe():
    return f, (torch.ones(2, 3),)

# torch: 2.3, 2.6, 2.9, 2.14
import contextlib

import torch


@contextlib.contextmanager
def scaled():
    yield 2


@torch.compile
def by_generator(x: torch.Tensor):
    y = x + 1
    with scaled() as s:  # expect[2.3-2.6]: TCD310 "a @contextmanager function"
        y = y * s
    return y - 1


def probe_by_generator():
    return by_generator, (torch.ones(2, 3),)

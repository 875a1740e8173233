# torch: 2.3, 2.6, 2.9, 2.14
import collections
import itertools

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    for a in itertools.accumulate([1, 2]):  # expect[2.3]: TCD313
        x = x + a
    for key, group in itertools.groupby([1, 1, 2]):  # expect[2.3-2.6]: TCD313
        x = x + key
    last = collections.deque(maxlen=2)  # expect[2.3-2.6]: TCD313 "loses elements"
    last.append(x)
    return x * last[0]


def probe():
    return f, (torch.ones(2, 3),)

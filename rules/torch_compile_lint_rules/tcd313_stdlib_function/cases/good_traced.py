import collections
import functools
import itertools
import operator

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = functools.reduce(operator.add, [x, x + 1])
    for a, b in itertools.product([1, 2], [3, 4]):
        y = y + a * b
    for a in itertools.chain([1], [2]):
        y = y * a
    d = collections.OrderedDict(a=1)
    c = collections.Counter([1, 1, 2])
    return y * d["a"] * c[1] * operator.itemgetter(1)([1, 2])


def probe():
    return f, (torch.ones(2, 3),)

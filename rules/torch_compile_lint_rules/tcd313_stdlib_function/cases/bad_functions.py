import ast
import bisect
import functools
import statistics

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + bisect.bisect([1, 2, 3], 2)  # expect: TCD313
    y = y + statistics.mean([1, 2, 3])  # expect: TCD313
    y = y + ast.literal_eval("2")  # expect: TCD313
    return y + sorted([1, 2], key=functools.cmp_to_key(lambda a, b: b - a))[0]  # expect: TCD313


def probe():
    return f, (torch.ones(2, 3),)

import random

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    order = [1, 2, 3, 4, 5]
    random.shuffle(order)  # expect: TCD802 "shuffles a Python list"
    return (x + 1) * order[0]


def probe():
    return f, [(torch.ones(2, 3),)] * 4

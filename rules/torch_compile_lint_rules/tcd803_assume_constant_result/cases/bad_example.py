import random

import torch


@torch.compiler.assume_constant_result
def draw():
    return random.random()


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return (x + 1) * draw()  # expect: TCD803 "its first answer is kept for good: silently wrong"


def probe():
    return f, [(torch.ones(2, 3),)] * 3

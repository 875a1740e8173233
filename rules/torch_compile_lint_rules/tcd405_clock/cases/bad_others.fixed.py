import datetime
from time import sleep, time

import torch


@torch.compile
def f(x: torch.Tensor):
    y = x + 1
    if not torch.compiler.is_compiling():
        sleep(0)
    now = datetime.datetime.now()
    return y * 2, (0.0 if torch.compiler.is_compiling() else time()), now


NONDETERMINISTIC = True


def probe():
    return f, (torch.ones(2, 3),)

import datetime
from time import sleep, time

import torch


@torch.compile
def f(x: torch.Tensor):
    y = x + 1
    sleep(0)  # expect: TCD405 "waits"
    now = datetime.datetime.now()  # expect: TCD405
    return y * 2, time(), now  # expect: TCD405


NONDETERMINISTIC = True


def probe():
    return f, (torch.ones(2, 3),)

import gc
import inspect
import sys

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y = y * (len(sys._getframe().f_code.co_name) > 0)  # expect: TCD303
    y = y * (len(inspect.stack()[0].function) > 0)  # expect: TCD303
    gc.collect()  # expect: TCD303
    y = y + (sys.getrefcount(x) > 0)  # expect: TCD303
    return y


def probe():
    return f, (torch.ones(2, 3),)

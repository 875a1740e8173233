# torch: 2.3, 2.6, 2.14
import torch


class Scale:
    def __init__(self, value):
        self.value = value

    def __enter__(self):
        return self.value

    def __exit__(self, *exc):
        return False


@torch.compile
def by_class(x: torch.Tensor):
    y = x + 1
    with Scale(2) as s:  # expect[2.3]: TCD310 "a context manager class"
        y = y * s
    return y - 1


def probe_by_class():
    return by_class, (torch.ones(2, 3),)

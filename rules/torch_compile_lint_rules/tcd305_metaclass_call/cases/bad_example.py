import torch


class Extending(type):
    def __call__(cls, *args, **kwargs):
        made = super().__call__(*args, **kwargs)
        made.extra = 5
        return made


class Options(metaclass=Extending):
    def __init__(self, scale):
        self.scale = scale


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * Options(3).extra  # expect: TCD305 "the metaclass of `Options` sets attributes in a __call__ that is left out"


def probe():
    return f, (torch.ones(2, 3),)

import torch


class Extending(type):
    def __call__(cls, *args):
        made = super().__call__(*args)
        made.extra = 5
        return made


class Options(metaclass=Extending):
    extra = 1

    def __init__(self, scale):
        self.scale = scale


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * Options(3).extra  # expect: TCD305 "silently wrong"


def probe():
    return f, (torch.ones(2, 3),)

import torch


class Meta(type):
    def __call__(cls, *args, **kwargs):
        """Only here to be overridden."""
        return super().__call__(*args, **kwargs)


class Counted(type):
    def __call__(cls, *args):
        made = type.__call__(cls, *args)
        return made


class Options(metaclass=Meta):
    def __init__(self, scale):
        self.scale = scale


class Others(metaclass=Counted):
    def __init__(self, scale):
        self.scale = scale


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * Options(3).scale + Others(2).scale


def probe():
    return f, (torch.ones(2, 3),)

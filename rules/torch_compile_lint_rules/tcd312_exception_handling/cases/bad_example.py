import torch


class Bad(Exception):
    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        raise Bad("m", code=4)  # expect: TCD312 "`raise Bad(...)`"
    except Bad as e:
        y = y * e.code
    return y


def probe():
    return f, (torch.ones(2, 3),)

import torch

SETTINGS = {"scale": 2.0}
calls = []


def scale():
    return SETTINGS["scale"]


@torch.compiler.assume_constant_result
def doubled() -> float:
    return scale() * 2.0


@torch.compiler.assume_constant_result
def turn() -> float:
    calls.append(None)
    return float(len(calls))


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = (x + 1) * doubled()  # expect: TCD803 "`doubled(...)` is under assume_constant_result"
    return y * turn()  # expect: TCD803 "`turn(...)` is under assume_constant_result"


def probe():
    return f, [(torch.ones(2, 3),)] * 3

import os

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return (x + 1) * float(os.getenv("TCLINT_SCALE", "5"))  # expect: TCD801 "frozen, with no guard: silently wrong"


def _call(value):
    def arguments():
        os.environ["TCLINT_SCALE"] = value
        return (torch.ones(2, 3),)

    return arguments


def probe():
    return f, [_call("1"), _call("3")]

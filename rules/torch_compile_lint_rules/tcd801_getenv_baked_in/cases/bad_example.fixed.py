import os

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return (x + 1) * float(os.environ.copy().get("TCLINT_SCALE", "5"))


def _call(value):
    def arguments():
        os.environ["TCLINT_SCALE"] = value
        return (torch.ones(2, 3),)

    return arguments


def probe():
    return f, [_call("1"), _call("3")]

import os

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    if os.environ.copy().get("TCLINT_CASE", "0") == "1":
        return x * 2
    return x * 3


def _call(value):
    def arguments():
        os.environ["TCLINT_CASE"] = value
        return (torch.ones(2, 3),)

    return arguments


def probe():
    return f, [_call("0"), _call("1")]

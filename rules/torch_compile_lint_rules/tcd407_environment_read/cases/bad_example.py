import os

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if os.environ["TCLINT_CASE"] == "1":  # expect: TCD407 "reads the environment: recompilation"
        y = y * 2
    return y


def _call(value):
    def arguments():
        os.environ["TCLINT_CASE"] = value
        return (torch.ones(2, 3),)

    return arguments


def probe():
    return f, [_call("1"), _call("0")]

from os import environ

import torch

environ["TCLINT_OTHER"] = "1"


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return x * 2 if environ["TCLINT_OTHER"] == "1" else x * 3  # expect: TCD407


def _call(value):
    def arguments():
        environ["TCLINT_OTHER"] = value
        return (torch.ones(2, 3),)

    return arguments


def probe():
    return f, [_call("1"), _call("0")]

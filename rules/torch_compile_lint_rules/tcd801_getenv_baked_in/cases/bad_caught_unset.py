# torch: 2.9, 2.14
import os

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    try:
        name = os.environ["TCLINT_T8"]  # expect: TCD801
    except KeyError:
        name = "0"
    return x * 2 if name == "1" else x * 3


# Unset at first, except on 2.3, where reading a variable that is not set raises in Dynamo.
FIRST = None if hasattr(torch.library, "custom_op") else "0"


def _call(value):
    def arguments():
        os.environ.pop("TCLINT_T8", None)
        if value is not None:
            os.environ["TCLINT_T8"] = value
        return (torch.full((2, 3), 5.0),)

    return arguments


def probe():
    return f, [_call(FIRST), _call("1"), _call("0")]

# torch: 2.9, 2.14
import os

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * 2 if os.environ.copy().get("TCLINT_G8", "0") == "1" else y * 3


# Unset at first, except on 2.3, where reading a variable that is not set raises in Dynamo.
FIRST = None if hasattr(torch.library, "custom_op") else "0"


def _call(value):
    def arguments():
        os.environ.pop("TCLINT_G8", None)
        if value is not None:
            os.environ["TCLINT_G8"] = value
        return (torch.full((2, 3), 5.0),)

    return arguments


def probe():
    return f, [_call(FIRST), _call("1"), _call("0")]

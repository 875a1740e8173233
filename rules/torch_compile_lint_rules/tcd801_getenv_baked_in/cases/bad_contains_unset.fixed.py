# torch: 2.9, 2.14
import os

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return x * 2 if "TCLINT_I8" in os.environ.copy() else x * 3


# Unset at first, except on 2.3, where reading a variable that is not set raises in Dynamo.
FIRST = None if hasattr(torch.library, "custom_op") else "0"


def _call(value):
    def arguments():
        os.environ.pop("TCLINT_I8", None)
        if value is not None:
            os.environ["TCLINT_I8"] = value
        return (torch.full((2, 3), 5.0),)

    return arguments


def probe():
    return f, [_call(FIRST), _call(None if FIRST else "1")]

# torch: 2.3, 2.6
import os

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return x * 2 if "TCLINT_IN" in os.environ else x * 3  # expect: TCD407


# Unset at first, except on 2.3, where reading a variable that is not set raises in Dynamo.
FIRST = None if hasattr(torch.library, "custom_op") else "0"


def _call(value):
    def arguments():
        os.environ.pop("TCLINT_IN", None)
        if value is not None:
            os.environ["TCLINT_IN"] = value
        return (torch.full((2, 3), 5.0),)

    return arguments


def probe():
    return f, [_call(FIRST), _call(None if FIRST else "1")]

# torch: 2.3, 2.6, 2.14
import os

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return x * 2 if os.environ.copy().get("TCLINT_COPY") == "1" else x * 3  # expect: TCD407


def _call(value):
    def arguments():
        os.environ.pop("TCLINT_COPY", None)
        if value is not None:
            os.environ["TCLINT_COPY"] = value
        return (torch.full((2, 3), 5.0),)

    return arguments


def probe():
    return f, [_call(None), _call("1")]

import os

import torch

DOUBLE = "TCLINT_O8" in os.environ
SETTINGS = {"TCLINT_O8": "1"}


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = float(os.environ.get("TCLINT_O8", "2"))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if DOUBLE or SETTINGS.get("TCLINT_P8") == "1" or "TCLINT_P8" in SETTINGS:
            return x * 2
        return x * self.scale


def probe():
    return torch.compile(Net()), (torch.ones(2, 3),)

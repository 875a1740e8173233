import logging

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.log = logging.getLogger("net")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not torch.compiler.is_compiling():
            self.log.warning("odd")
        if not torch.compiler.is_compiling():
            logging.info("module function")
        return x * 2


def probe():
    return Net(), (torch.ones(2, 3),)

import logging

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.log = logging.getLogger("net")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.log.warning("odd")  # expect: TCD402
        logging.info("module function")  # expect: TCD402
        return x * 2


def probe():
    return Net(), (torch.ones(2, 3),)

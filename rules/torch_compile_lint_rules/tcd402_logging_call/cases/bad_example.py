import logging

import torch

logger = logging.getLogger(__name__)


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    logger.debug("shape %s", y.shape)  # expect: TCD402 "logs while the graph is made"
    return y * 2


def probe():
    return f, (torch.ones(2, 3),)

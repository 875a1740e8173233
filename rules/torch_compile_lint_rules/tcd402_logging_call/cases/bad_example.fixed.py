import logging

import torch

logger = logging.getLogger(__name__)


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if not torch.compiler.is_compiling():
        logger.debug("shape %s", y.shape)
    return y * 2


def probe():
    return f, (torch.ones(2, 3),)

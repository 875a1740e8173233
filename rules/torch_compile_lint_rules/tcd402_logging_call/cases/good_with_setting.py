# torch: 2.6, 2.9, 2.13, 2.14
import logging

import torch
import torch._dynamo

torch._dynamo.config.ignore_logger_methods.add(logging.Logger.debug)

logger = logging.getLogger(__name__)


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    logger.debug("shape %s", y.shape)
    return y * 2


def probe():
    return f, (torch.ones(2, 3),)

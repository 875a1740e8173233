import functools
import logging

import torch

logger = logging.getLogger(__name__)


@functools.lru_cache(None)
def warning_once(self, *args, **kwargs):
    self.warning(*args, **kwargs)


logging.Logger.warning_once = warning_once


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    logger.warning_once("said once")  # expect: TCD402
    return x + 1


def probe():
    return f, (torch.ones(2, 3),)

import asyncio

import torch


async def double(y):
    return y * 2


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y = asyncio.run(double(y))  # expect: TCD307 "raises under torch.compile"
    return y - 1


def probe():
    return f, (torch.ones(2, 3),)

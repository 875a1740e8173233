import torch


async def double(y):
    return y * 2



@torch.compile
async def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y = await double(y)  # expect: TCD307 "`await` cannot be traced"
    return y - 1


def probe():
    import asyncio

    from torch._dynamo.utils import counters

    counters.clear()
    asyncio.run(f(torch.ones(2, 3)))
    return "ok" if counters["frames"]["ok"] else "skip"

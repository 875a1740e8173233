import heapq

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    queue = [3, 1, 2]
    heapq.heapify(queue)  # expect: TCD313 "`heapq.heapify(...)` is not traced"
    return (x + 1) * queue[0]


def probe():
    return f, (torch.ones(2, 3),)

# torch: 2.3, 2.6, 2.14
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    rows = torch.func.vmap(lambda r: r * 2)(x)  # expect[2.3]: TCD314
    order = [3, 1, 2]
    order.sort()  # expect[2.3]: TCD314
    return rows * order[0] + len({id(x): 1})  # expect[2.3]: TCD314


def probe():
    return f, (torch.ones(2, 3),)

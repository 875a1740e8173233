import torch


@torch.compile
def f(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    y = x + 1
    match index:  # expect: TCD108
        case 1 | 2 as _chosen:
            y = y * 2
        case _:
            y = y * 3
    return y


def probe():
    return f, (torch.ones(2, 3), torch.tensor(1))

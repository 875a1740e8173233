import torch


@torch.compile
def f(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    y = x + 1
    match index:  # expect: TCD108 "`match` compares the value of `index`"
        case 1:
            y = y * 2
        case _:
            y = y * 3
    return y


def probe():
    return f, (torch.ones(2, 3), torch.tensor(1))

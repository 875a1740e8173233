import torch


@torch.compile
def f(x: torch.Tensor, mode: str) -> torch.Tensor:
    y = x + 1
    match mode:
        case "double":
            y = y * 2
        case _:
            y = y * 3
    return y


def probe():
    return f, (torch.ones(2, 3), "double")

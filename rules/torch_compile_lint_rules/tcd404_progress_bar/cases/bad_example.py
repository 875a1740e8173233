import torch
from tqdm import tqdm


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    for i in tqdm(range(3), disable=True):  # expect: TCD404 "draws a progress bar"
        y = y + i
    return y * 2


def probe():
    return f, (torch.ones(2, 3),)

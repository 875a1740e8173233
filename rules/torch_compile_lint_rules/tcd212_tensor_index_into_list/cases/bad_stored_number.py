import torch


@torch.compile
def a_number(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    k = x.argmax()
    y[k] = 0.5  # expect[2.13-]: TCD212
    return y * 2


@torch.compile
def one_of_several(x: torch.Tensor) -> torch.Tensor:
    y = x.view(2, 2) + 1
    k = x[:2].argmax()
    y[:, k] = 0.5  # expect[2.13-]: TCD212
    return y * 2


def probe():
    return a_number, (torch.ones(4),)


def probe_several():
    return one_of_several, (torch.ones(4),)

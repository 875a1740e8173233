import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x.view(2, 2) + 1
    k = x[:2].argmax()
    return y[k, :] * 2  # expect: TCD212


@torch.compile
def read_and_stored(x: torch.Tensor) -> torch.Tensor:
    y = x.view(2, 2) + 1
    k = x[:2].argmax()
    y[0, k] += 1.0  # expect: TCD212
    return y * 2


def probe():
    return f, (torch.ones(4),)


def probe_stored():
    return read_and_stored, (torch.ones(4),)

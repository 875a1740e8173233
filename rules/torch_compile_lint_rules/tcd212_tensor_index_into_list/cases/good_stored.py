# torch: 2.6, 2.9, 2.13, 2.14
import torch


@torch.compile
def from_outside(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y[i, i] = x.sum()
    return y[i, i] * 2


@torch.compile
def of_one_dimension(x: torch.Tensor) -> torch.Tensor:
    y = x.view(-1) + 1
    k = y.argmax()
    y[k.view(1)] = 0.5
    return y * 2


@torch.compile
def numbers(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    for i in range(x.shape[0]):
        y[i, 0] = 0.5
        y[i, -1] = x.sum()
    return y * 2


def probe():
    return from_outside, (torch.ones(3, 3), torch.tensor(1))


def probe_of_one_dimension():
    return of_one_dimension, (torch.ones(3, 3),)


def probe_numbers():
    return numbers, (torch.ones(3, 3),)

"""Functions that hold a nonzero and are no operator: each has one thing that an operator may not have."""

import torch

HEARD = []


def sized_by_data(ids: torch.Tensor) -> torch.Tensor:
    found = torch.nonzero(ids)  # expect: TCD205
    out = torch.zeros(found.shape[0]).long()
    return out.long()


def writes_its_argument(ids: torch.Tensor) -> torch.Tensor:
    out = torch.zeros_like(ids).long()
    for spot in torch.nonzero(ids):  # expect: TCD205
        ids[spot[0], spot[1]] = 0  # expect[2.13-]: TCD212
    return out.long()


def has_gradients(ids: torch.Tensor) -> torch.Tensor:
    out = torch.zeros(2, 4)
    for spot in torch.nonzero(ids):  # expect: TCD205
        out[spot[0], spot[1]] = ids[spot[0], spot[1]] * 2.0  # expect[2.13-]: TCD212, TCD212
    return out


def keeps_something(ids: torch.Tensor) -> torch.Tensor:
    out = torch.zeros_like(ids).long()
    for spot in torch.nonzero(ids):  # expect: TCD205
        HEARD.append(1)  # expect: TCD703
        out[spot[0], spot[1]] = 1  # expect[2.13-]: TCD212
    return out.long()


def gives_its_argument(ids: torch.Tensor) -> torch.Tensor:
    out = ids.long()
    for spot in torch.nonzero(ids):  # expect: TCD205
        out[spot[0], spot[1]] = 1  # expect[2.13-]: TCD212
    return out.long()


def takes_a_number(ids: torch.Tensor, value: int) -> torch.Tensor:
    out = torch.zeros_like(ids).long()
    for spot in torch.nonzero(ids):  # expect: TCD205
        out[spot[0], spot[1]] = value  # expect[2.13-]: TCD212
    return out.long()


def grown_in_the_loop(ids: torch.Tensor) -> torch.Tensor:
    out = torch.zeros(1, 4).long()
    for _ in torch.nonzero(ids):  # expect: TCD205
        out = torch.cat((out, torch.zeros(1, 4).long()))
    return out.long()


@torch.compile
def f(ids: torch.Tensor) -> torch.Tensor:
    ids = ids * 1
    a = sized_by_data(ids).sum() + writes_its_argument(ids).sum() + has_gradients(ids).sum()
    b = keeps_something(ids).sum() + gives_its_argument(ids).sum() + takes_a_number(ids, 2).sum()
    return a + b + grown_in_the_loop(ids).sum()


def probe():
    return f, (torch.tensor([[1, 2, 3, 1], [2, 1, 2, 1]]),)

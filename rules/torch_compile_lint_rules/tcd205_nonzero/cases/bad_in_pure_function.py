"""Pure functions of masks that hold a nonzero: what becomes an operator, and what does not."""

import torch
from torch import Tensor


def blocks(ids: torch.LongTensor) -> tuple[Tensor, Tensor]:
    """Which positions belong together, and how far each is from the start of its block."""
    rows, length = ids.shape
    marks = torch.zeros((rows, length)).bool()
    marks |= ids == 1
    spots = torch.nonzero(marks)  # expect: TCD205
    together = torch.eye(length).bool().unsqueeze(0).repeat(rows, 1, 1)
    place = torch.zeros((rows, length))
    for i in range(spots.shape[0]):
        row, column = spots[i]
        together[row, column, column] = True  # expect[2.13-]: TCD212
        place[row, column] = i  # expect[2.13-]: TCD212
    return together, place.to(torch.long)


def first_marks(ids: Tensor) -> Tensor:
    found = torch.zeros_like(ids).long()
    for spot in torch.nonzero(ids):  # expect: TCD205
        found[spot[0], spot[1]] = 1  # expect[2.13-]: TCD212
    return found.long()


@torch.compile
def f(ids: torch.Tensor) -> torch.Tensor:
    ids = ids * 1
    together, place = blocks(ids)
    return together.sum() + place.sum() + first_marks(ids).sum()


def probe():
    return f, (torch.tensor([[1, 2, 3, 1], [2, 1, 2, 1]]),)

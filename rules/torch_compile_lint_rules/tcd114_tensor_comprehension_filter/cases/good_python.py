import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    rows = [row for i, row in enumerate(x) if i % 2 == 0]
    rows += [t for t in [x, None] if t is not None]
    rows += [row for row in x if row.shape[0] > 1]
    return rows[0] + 1


def probe():
    return f, (torch.ones(2, 3),)

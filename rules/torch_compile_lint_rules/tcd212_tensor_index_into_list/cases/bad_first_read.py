import torch


@torch.compile
def f(x: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    best = x.argmax()
    top = x[best] * 2  # expect: TCD212
    return rows[best] * top  # the graph ended above: this one gets the index from outside


@torch.compile
def on_one_path(x: torch.Tensor, rows: torch.Tensor, flag: bool) -> torch.Tensor:
    best = x.argmax()
    if flag:
        x = x[best] * 2  # expect: TCD212
    return rows[best] * x  # expect: TCD212


def probe():
    return f, (torch.ones(4), torch.ones(4, 2))

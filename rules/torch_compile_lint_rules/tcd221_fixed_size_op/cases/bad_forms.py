import torch


@torch.compile(dynamic=True)
def counts(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y.sum() + torch.histogram(y, 4)[0]  # expect: TCD221


@torch.compile(dynamic=True)
def counts_of(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y.sum() + y.histogram(4)[0]  # expect: TCD221


@torch.compile(dynamic=True)
def triangle(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y + torch.geqrf(y)[0]  # expect: TCD221


@torch.compile(dynamic=True)
def slope(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y + torch._dirichlet_grad(y, y, y)  # expect: TCD221


def probe_counts():
    return counts, (torch.ones(4, 5),)


def probe_counts_of():
    return counts_of, (torch.ones(4, 5),)


def probe_triangle():
    return triangle, (torch.ones(4, 5),)


def probe_slope():
    return slope, (torch.ones(4, 5) / 2,)

import torch


@torch.compile
def counts(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y.sum() + torch.histogram(y, 4)[0]  # expect: TCD221


@torch.compile
def counts_of(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y.sum() + y.histogram(4)[0]  # expect: TCD221


@torch.compile
def triangle(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y + torch.geqrf(y)[0]  # expect: TCD221


@torch.compile
def slope(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y + torch._dirichlet_grad(y, y, y)  # expect: TCD221


def any_size(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
    for tensor in tensors:
        torch._dynamo.mark_dynamic(tensor, 0)
    return tensors


def probe_counts():
    return counts, any_size(torch.ones(4, 5))


def probe_counts_of():
    return counts_of, any_size(torch.ones(4, 5))


def probe_triangle():
    return triangle, any_size(torch.ones(4, 5))


def probe_slope():
    return slope, any_size(torch.ones(4, 5) / 2)

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    g = torch.Generator()  # expect: TCD409
    g.manual_seed(3)  # expect: TCD409
    return (x + 1) * torch.rand(3, generator=g)


def _probe():
    return f, (torch.ones(2, 3),)

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    x.requires_grad_()  # expect: TCD604
    return (x + 1) * 2


def probe():
    return f, [lambda: (torch.ones(2, 3),)]

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = torch.zeros_like(x, requires_grad=True)  # expect: TCD604
    return x + y


def probe():
    return f, (torch.ones(2, 3),)

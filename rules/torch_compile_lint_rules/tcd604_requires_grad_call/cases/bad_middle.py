import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = (x + 1).requires_grad_()  # expect: TCD604
    return y * 2


def probe():
    return f, (torch.ones(2, 3),)

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = x.detach()
    y.requires_grad = True  # expect: TCD604 "`y.requires_grad` is set inside the graph"
    return y * 2


def probe():
    return f, (torch.ones(2, 3),)

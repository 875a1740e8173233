import torch


@torch.compile
def detached(x: torch.Tensor) -> torch.Tensor:
    y = (x + 1).detach()
    return x * 2 if y.grad_fn is None else x


@torch.compile
def made(x: torch.Tensor) -> torch.Tensor:
    y = torch.zeros(3)
    return x * 2 if y.grad_fn is None else x


def probe():
    return detached, (torch.ones(3, requires_grad=True),)


def probe_made():
    return made, (torch.ones(3, requires_grad=True),)

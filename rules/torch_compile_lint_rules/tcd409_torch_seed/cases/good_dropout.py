import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.dropout(x * torch.randn_like(x), 0.5, True) * torch.randint(0, 3, (3,))


NONDETERMINISTIC = True


def probe():
    return f, (torch.ones(2, 3),)

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    scales = torch.tensor([1.0, 2.0, 3.0])
    return (x + 1) * scales[torch.randint(3, (1,))]


NONDETERMINISTIC = True


def probe():
    return f, (torch.ones(2, 3),)

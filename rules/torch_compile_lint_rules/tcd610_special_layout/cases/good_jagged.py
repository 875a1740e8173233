import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    nested = torch.nested.nested_tensor([x[0], x[1][:2]], layout=torch.jagged)
    return (nested * 2).values()


def probe():
    return f, (torch.ones(2, 3),)

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    nested = torch.nested.nested_tensor([x[0], x[1][:2]])  # expect: TCD610
    return torch.nested.to_padded_tensor(nested, 0.0) * 2


def probe():
    return f, (torch.ones(2, 3),)

import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    return torch.nested.to_padded_tensor(torch.nested.nested_tensor([x[0], x[1]]), 0.0) * 2  # expect: TCD610


def probe():
    return f, (torch.ones(2, 3),)

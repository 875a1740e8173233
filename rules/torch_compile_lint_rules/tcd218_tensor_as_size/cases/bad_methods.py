import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    n = x.sum().long()
    a = x.repeat(n, 1)  # expect: TCD218 "`x.repeat`"
    b = x.narrow(0, n * 0, 1)  # expect: TCD218
    c = torch.nn.functional.pad(x, (0, n))  # expect: TCD218
    return a.sum() + b.sum() + c.sum() + x.new_zeros(n).sum()  # expect: TCD218


def probe():
    return f, (torch.ones(2, 3),)

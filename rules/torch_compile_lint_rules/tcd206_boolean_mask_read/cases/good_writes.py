import torch


@torch.compile
def f(x: torch.Tensor, values: torch.Tensor, index: torch.LongTensor) -> torch.Tensor:
    y = x - 2
    y[y < 0] = 0.0
    y[y > 3] = values
    y.masked_fill_(y > 5, 0.0)
    return y * x[index] * y[:, None].mean() * y[..., 0].sum() * x[[0, 1]]


def probe():
    return f, (torch.ones(2, 3), torch.tensor(9.0), torch.tensor([0, 1]))

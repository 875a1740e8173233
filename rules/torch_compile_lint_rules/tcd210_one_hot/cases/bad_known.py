import torch
import torch.nn.functional as F


@torch.compile
def f(scores: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    best = scores.argmax(dim=-1)
    a = F.one_hot(best)  # expect: TCD210
    b = F.one_hot(torch.argmax(scores, -1), -1)  # expect: TCD210
    c = F.one_hot((labels % 4))  # expect: TCD210
    d = F.one_hot(labels % 4,)  # expect: TCD210
    e = F.one_hot((scores > 0).long(), num_classes=-1)  # expect: TCD210
    y = scores * 2
    last = y.argmax(-1)
    y = y[:, :2]
    g = F.one_hot(last)  # expect: TCD210
    return a.sum() + b.sum() + c.sum() + d.sum() + e.sum() + g.sum() + y.sum()


def probe():
    return f, (torch.eye(4), torch.arange(4))

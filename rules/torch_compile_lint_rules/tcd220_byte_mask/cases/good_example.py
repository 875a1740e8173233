import torch


@torch.compile
def f(x: torch.Tensor, old: torch.ByteTensor) -> torch.Tensor:
    mask = torch.ones_like(x, dtype=torch.uint8)
    kept = x * mask + x * (1 - mask) * (mask == 1) * (~mask)
    assert mask.all()
    kept[mask] = torch.ones(2)
    chosen = torch.where(mask.bool(), kept, x)
    table = torch.ones(2, dtype=torch.int64)
    return torch.where(mask > 0, chosen, x) + x[table]


def probe():
    return f, (torch.ones(2), torch.ones(2, dtype=torch.uint8))

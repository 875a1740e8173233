# torch: 2.6, 2.13, 2.14
import torch


@torch.compile
def masked_mean(x: torch.Tensor, losses, keys) -> torch.Tensor:
    mask = x > 0
    loss = losses.pop()
    return loss[mask].mean()  # expect: TCD206 "`loss[mask]`"


@torch.compile
def known_places(x: torch.Tensor, losses, keys) -> torch.Tensor:
    loss = losses.pop()
    return loss[x.long()].sum() + losses[keys[0]].sum()


def probe_masked_mean():
    x = torch.ones(4)
    return masked_mean, (x, [x, x], [0])

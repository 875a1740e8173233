# torch: 2.6, 2.13, 2.14
import torch


class Checked(torch.nn.Module):
    def __init__(self, batch_first: bool = False) -> None:
        super().__init__()
        self.batch_first = batch_first

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        full = not self.batch_first and (mask > 0).all()
        y = x + 1
        if not full:  # expect: TCD101 "`full`"
            y = y * 2
        return y - 1


def probe_checked():
    return Checked(), (torch.ones(2, 3), torch.ones(2, 3))

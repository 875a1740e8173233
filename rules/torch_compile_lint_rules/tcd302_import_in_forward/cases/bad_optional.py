import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        try:
            import no_such_module_anywhere  # expect: TCD302
        except ImportError:
            no_such_module_anywhere = None
        y = x + 1
        if no_such_module_anywhere is None:
            return y * 2
        return no_such_module_anywhere.scaled(y)


def probe():
    return Net(), (torch.ones(2, 3),)

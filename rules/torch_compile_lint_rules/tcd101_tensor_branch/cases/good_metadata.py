import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.scale = None
        self.flag = True
        self.mode = "mean"

    def forward(self, x: torch.Tensor, mask=None, sizes=(1, 2)):
        y = self.lin(x)
        if x.shape[0] > 1 and x.numel() > 2 and x.size(0) > 1 and len(x) > 1:
            y = y * 2
        if x.dim() == 2 and x.ndim == 2 and x.dtype == torch.float32 and not x.is_cuda and not x.requires_grad:
            y = y * 2
        if x.device.type == "cpu" and x.is_floating_point() and x.is_contiguous():
            y = y + 1
        if mask is not None:
            y = y * mask
        if mask is None or isinstance(mask, (list, tuple)):
            y = y + 1
        if isinstance(x, torch.Tensor) and torch.is_tensor(x) and torch.is_floating_point(x):
            y = y * 2
        if self.training and self.flag and self.scale is None:
            y = y * 2
        if self.mode == "mean" or self.mode in ("sum", "max"):
            y = y.mean()
        if hasattr(x, "extra") or not sizes:
            y = y * 3
        if self.lin.bias is not None:
            y = y + self.lin.bias.sum()
        if torch.is_grad_enabled() and torch.jit.is_scripting():
            y = y * 2
        rows = [r for r in x]
        if rows and len(rows) > 1:
            y = y + rows[0].sum()
        if not torch.jit.is_scripting():
            y = y * 2
        return y


def probe():
    return Net(), (torch.ones(2, 3),)


def probe_mask():
    return Net(), (torch.ones(2, 3), torch.ones(2, 3))

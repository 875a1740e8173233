import torch
import torch._dynamo
from torch import nn

try:
    from torch.compiler import is_compiling
except ImportError:
    from torch._dynamo import is_compiling

if hasattr(torch.compiler, "reset"):
    torch.compiler.reset()
else:
    torch._dynamo.reset()


@torch._dynamo.disable(wrapping=False) if hasattr(torch._dynamo, "skip_code_recursive_on_cache_limit_hit") else id
def odd(x):
    return x


def mark(x):
    torch._dynamo.mark_dynamic(x, 0)
    torch._dynamo.mark_static(x, 1)
    return x


class Net(nn.Module):
    def forward(self, x):
        return x if is_compiling() else x * 2


def probe():
    torch.compile(Net(), backend="eager")(mark(torch.ones(3, 3)))
    return "ok"

# torch: 2.6, 2.9, 2.13, 2.14
import torch
import torch._dynamo
import torch._dynamo as dynamo
from torch import nn
from torch.compiler import allow_in_graph, assume_constant_result
from torch.compiler import is_compiling

torch.compiler.reset()
names = torch.compiler.list_backends()


@allow_in_graph
def doubled(x):
    return x * 2


@assume_constant_result
def width():
    return 3


class Net(nn.Module):
    @torch.compiler.disable(recursive=False)
    def outside(self, x):
        return x + width()

    def forward(self, x):
        if torch.compiler.is_compiling() or is_compiling():
            return doubled(x)
        with torch.compiler.set_stance("force_eager"):
            return doubled(x)


def probe():
    assert isinstance(names, list)
    net = Net()
    torch.compile(net, backend="eager")(net.outside(torch.ones(3)))
    return "misuse"

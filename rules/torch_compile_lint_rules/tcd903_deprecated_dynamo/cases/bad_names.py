# torch: 2.6, 2.9, 2.13, 2.14
import torch
import torch._dynamo
import torch._dynamo as dynamo
from torch import nn
from torch._dynamo import allow_in_graph, assume_constant_result  # expect: TCD903
from torch._dynamo.external_utils import is_compiling  # expect: TCD903

dynamo.reset()  # expect: TCD903 "`dynamo.reset` is private: torch.compiler.reset is the same function"
names = torch._dynamo.list_backends()  # expect: TCD903


@allow_in_graph
def doubled(x):
    return x * 2


@assume_constant_result
def width():
    return 3


class Net(nn.Module):
    @torch._dynamo.disable(recursive=False)  # expect: TCD903
    def outside(self, x):
        return x + width()

    def forward(self, x):
        if torch._dynamo.is_compiling() or is_compiling():  # expect: TCD903
            return doubled(x)
        with torch._dynamo.set_stance("force_eager"):  # expect: TCD903
            return doubled(x)


def probe():
    assert isinstance(names, list)
    net = Net()
    torch.compile(net, backend="eager")(net.outside(torch.ones(3)))
    return "misuse"

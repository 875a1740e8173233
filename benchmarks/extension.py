"""What Dynamo makes of functions of a C++ extension: called directly, by attribute, in a Function, in a loop.

Usage: EXE benchmarks/extension.py FOLDER
EXE is a Python with torch and ninja, and a C++ compiler on the path; the extension is built in FOLDER (half a
minute). Prints for each way the number of graphs of three calls and Dynamo's own record of breaks.
"""

from __future__ import annotations

import re
import sys
from typing import Any

import torch
from torch.utils.cpp_extension import load_inline

SOURCE = "at::Tensor plus_one(at::Tensor x) { return x + 1; }"
# A name for each release: the built library of another one does not load.
NAME = "ext_" + re.sub(r"\W", "_", torch.__version__)


def ways(extension: Any) -> dict[str, Any]:
    """The functions and modules to compile, each of a tensor."""

    def direct(x: torch.Tensor) -> torch.Tensor:
        return extension.plus_one(x * 2) * 3

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.op = extension.plus_one

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.op(x * 2) * 3

    class Plus(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return extension.plus_one(x)

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            return grad

    def function(x: torch.Tensor) -> torch.Tensor:
        return Plus.apply(x * 2) * 3

    def loop(x: torch.Tensor) -> torch.Tensor:
        for _ in range(2):
            x = extension.plus_one(x)
        return x

    return {"direct": direct, "attribute": Net(), "autograd.Function": function, "loop": loop}


def main() -> None:
    from torch._dynamo.utils import counters

    extension = load_inline(
        name=NAME, cpp_sources=[SOURCE], functions=["plus_one"], build_directory=sys.argv[1]
    )
    for name, made in ways(extension).items():
        torch._dynamo.reset()
        counters.clear()
        graphs: list[Any] = []

        def count(graph: Any, inputs: Any, graphs: list[Any] = graphs) -> Any:
            graphs.append(graph)
            return graph

        compiled = torch.compile(made, backend=count)
        for _ in range(3):
            compiled(torch.ones(3, requires_grad=True))
        told = [
            " ".join([text.splitlines()[0][:70], *re.findall("gb[0-9]{4}", text)])
            for text in counters["graph_break"]
        ]
        print(f"{torch.__version__} {name}: {len(graphs)} graphs; {told or 'no break recorded'}", flush=True)


if __name__ == "__main__":
    main()

"""One file's index from text, and expressions of it as short text."""

from __future__ import annotations

from torch_compile_lint.facts import ir
from torch_compile_lint.facts.index_ir import ClassIndex, FileIndex
from torch_compile_lint.index import index_file
from torch_compile_lint.source import source_from_text

UNITS = """\
import torch

@deco(1)
def plain(x: int, /, y=2, *rest, key: str = "k", **more) -> bool:
    # é
    return helper(x.attr)


class Net(torch.nn.Module, metaclass=Meta):
    size: int = 3

    def __init__(self):
        pass

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, new):
        self._value = new

    class Inner:
        async def run(self):
            yield 1

if FLAG:
    def late(): return 1
else:
    def late(): return 2
"""

STORES = """
class Net(nn.Module):
    scale = 2
    def __init__(self, dim, depth=4, act=None):
        super().__init__()
        layers = []
        for i in range(depth):
            layers.append(nn.Linear(dim, dim))
        act = act or nn.ReLU
        self.blocks = nn.Sequential(*layers)
        self.act = act()
        self.register_buffer("mask", torch.zeros(3), persistent=False)
        self.register_parameter(name="w", param=None)
        self.add_module("extra", nn.Identity())
        self.first, (self.second, self.third) = 1, pair
        self.left, self.right = make()
        self.typed: int = 3
        self.table = {}
        self.table["k"] = dim
        self.blocks.append(nn.GELU())
        setattr(self, "late", 1)
        setattr(self, f"layer{depth}", 1)
        unused = expensive()

    def forward(self, x):
        self.count += 1
        with ctx() as self.held:
            return x

    @staticmethod
    def build(self):
        self.nothing = 1
"""


def index(text: str, module: str = "pkg.mod", path: str = "pkg/mod.py") -> FileIndex:
    return index_file(source_from_text(path, text, module))


def show(expr: ir.Expr | None) -> str:
    """An expression as short text."""
    if expr is None:
        return "-"
    if isinstance(expr, ir.Const):
        return repr(expr.value)
    if isinstance(expr, ir.Name):
        return expr.name if expr.scope == "global" else f"{expr.name}'"
    if isinstance(expr, ir.Attribute):
        return f"{show(expr.base)}.{expr.attr}"
    if isinstance(expr, ir.Subscript):
        return f"{show(expr.base)}[{show(expr.index)}]"
    if isinstance(expr, ir.Call):
        inner = [f"{a.star}{a.keyword + '=' if a.keyword else ''}{show(a.value)}" for a in expr.args]
        return f"{show(expr.func)}({', '.join(inner)})"
    if isinstance(expr, ir.Sequence):
        return f"{expr.kind}({', '.join(show(i) for i in expr.items)})"
    if isinstance(expr, ir.Binary):
        return f"({show(expr.left)} {expr.op} {show(expr.right)})"
    if isinstance(expr, ir.Compare):
        return f"({show(expr.left)} {' '.join(expr.ops)} {', '.join(show(r) for r in expr.rights)})"
    if isinstance(expr, ir.IfExp):
        return f"({show(expr.body)} if {show(expr.test)} else {show(expr.orelse)})"
    if isinstance(expr, ir.BoolOp):
        return f" {expr.op} ".join(show(v) for v in expr.values)
    return type(expr).__name__


def attributes(one: ClassIndex) -> list[tuple[str, str, str]]:
    return [(a.name, a.op, show(a.value)) for a in one.attributes]

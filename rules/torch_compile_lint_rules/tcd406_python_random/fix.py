"""A draw that only takes part in arithmetic with tensors -> the same draw from torch's generator."""

from __future__ import annotations

from torch_compile_lint.model import Edit, Fix, Safety, Span
from torch_compile_lint.rewrite.numbers import stays_tensor
from torch_compile_lint.rewrite.text import shadowed
from torch_compile_lint.rule import FunctionView, Hit, ir

UNIFORM = frozenset(
    ("random.random", "numpy.random.rand", "numpy.random.random", "numpy.random.random_sample")
)
NORMAL = frozenset(("numpy.random.randn", "numpy.random.standard_normal"))


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    call = hit.node
    if not isinstance(call, ir.Call) or call.args or shadowed("torch", view) or not stays_tensor(call, view):
        return None
    names = set(view.callees(call))
    if names and names <= UNIFORM:
        text = "torch.rand(())"
    elif names and names <= NORMAL:
        text = "torch.randn(())"
    else:
        return None
    edit = Edit("", Span(call.start, call.end), text)
    return Fix("Draw from torch's generator", Safety.UNSAFE, (edit,), ("torch",))

"""`t.item()` that only takes part in arithmetic with tensors -> `t.detach()`."""

from __future__ import annotations

from torch_compile_lint.model import Edit, Fix, Safety, Span
from torch_compile_lint.rewrite.numbers import stays_tensor
from torch_compile_lint.rewrite.purity import is_tensor
from torch_compile_lint.rewrite.text import operand, source
from torch_compile_lint.rule import FunctionView, Hit, ir


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    call = hit.node
    if not isinstance(call, ir.Call) or call.args or not isinstance(call.func, ir.Attribute):
        return None
    base = call.func.base
    if call.func.attr != "item" or "#" in source(call, view) or not is_tensor(base, view):
        return None
    if not stays_tensor(call, view):
        return None
    edit = Edit("", Span(call.start, call.end), f"{operand(base, view)}.detach()")
    return Fix("Keep it a tensor", Safety.UNSAFE, (edit,))

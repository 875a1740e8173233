"""`t.add_(a, other)` -> `t.add_(other, alpha=a)`: the same call in the present signature."""

from __future__ import annotations

from torch_compile_lint.model import Edit, Fix, Safety, Span
from torch_compile_lint.rewrite.purity import is_pure
from torch_compile_lint.rewrite.text import source
from torch_compile_lint.rule import FunctionView, Hit, ir


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    call = hit.node
    if not isinstance(call, ir.Call) or not isinstance(call.func, ir.Attribute) or "#" in source(call, view):
        return None
    number, *others = (argument.value for argument in call.args)
    if not _may_move(number) or not (
        isinstance(number, ir.Const) or all(is_pure(one, view) for one in others)
    ):
        return None
    name = "alpha" if call.func.attr == "add_" else "value"
    parts = [source(one, view) for one in others] + [f"{name}={source(number, view)}"]
    edit = Edit("", Span(call.args[0].value.start, call.args[-1].value.end), ", ".join(parts))
    return Fix(f"Pass the number as {name}=", Safety.SAFE, (edit,))


def _may_move(number: ir.Expr) -> bool:
    """Whether it may be computed after what stood behind it: names, attributes and arithmetic of them."""
    if isinstance(number, ir.Unary):
        return _may_move(number.operand)
    if isinstance(number, ir.Binary):
        return _may_move(number.left) and _may_move(number.right)
    if isinstance(number, ir.Attribute):
        return _may_move(number.base)
    return isinstance(number, ir.Const | ir.Name)

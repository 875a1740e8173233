"""`t.item()` in arithmetic with tensors -> `t.detach()`; in a test -> torch.where or an assert."""

from __future__ import annotations

from torch_compile_lint.model import Edit, Fix, Safety, Span
from torch_compile_lint.rewrite.choose import choose_branch, choose_ternary
from torch_compile_lint.rewrite.numbers import stays_tensor
from torch_compile_lint.rewrite.purity import is_tensor
from torch_compile_lint.rewrite.raises import raise_to_assert
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
        return _in_test(call, view)
    edit = Edit("", Span(call.start, call.end), f"{operand(base, view)}.detach()")
    return Fix("Keep it a tensor", Safety.UNSAFE, (edit,))


def _in_test(call: ir.Call, view: FunctionView) -> Fix | None:
    """The jump whose test takes the number, as tensor-branch and tensor-ternary would rewrite it."""
    child: ir.Node = call
    parent = view.parent(call)
    while isinstance(parent, ir.Compare | ir.BoolOp | ir.Unary):
        child, parent = parent, view.parent(parent)
    if isinstance(parent, ir.Branch) and parent.test is child:
        return choose_branch(parent, view) or raise_to_assert(parent, view)
    if isinstance(parent, ir.IfExp) and parent.test is child:
        return choose_ternary(parent, view)
    return None

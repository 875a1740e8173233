"""`a and b`, `a or b` of tensors as a value -> torch.logical_and/or of booleans, else torch.where."""

from __future__ import annotations

from torch_compile_lint.model import Edit, Fix, Safety, Span
from torch_compile_lint.rewrite.condition import boolean
from torch_compile_lint.rewrite.purity import is_pure, only
from torch_compile_lint.rewrite.text import argument, shadowed, source
from torch_compile_lint.rule import FunctionView, Hit, Number, Tensor, ir


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    node: ir.Node | None = hit.node
    while node is not None and not isinstance(node, ir.BoolOp):
        node = view.parent(node)
    if not isinstance(node, ir.BoolOp) or shadowed("torch", view) or "#" in source(node, view):
        return None
    if not all(is_pure(operand, view) for operand in node.values):
        return None
    # `a or b` gives one of its operands: the same as logical_or only where all are booleans.
    if all(_is_bool(operand, view) for operand in node.values):
        title, text = f"Use torch.logical_{node.op}", boolean(node, view)
    else:
        title, text = "Choose with torch.where", _chosen(node, view)
    if text is None:
        return None
    return Fix(title, Safety.UNSAFE, (Edit("", Span(node.start, node.end), text),), ("torch",))


def _is_bool(operand: ir.Expr, view: FunctionView) -> bool:
    value = view.value(operand)
    return only(value, Tensor) and all(getattr(atom, "dtype", "") == "bool" for atom in value.atoms)


def _chosen(node: ir.BoolOp, view: FunctionView) -> str | None:
    """`a or b` is `a if a else b`: torch.where(a, a, b)."""
    if len(node.values) != 2:
        return None
    first, second = node.values
    test = boolean(first, view)
    if test is None or not only(view.value(second), Tensor, Number):
        return None
    one, other = argument(first, view), argument(second, view)
    return (
        f"torch.where({test}, {one}, {other})" if node.op == "or" else f"torch.where({test}, {other}, {one})"
    )

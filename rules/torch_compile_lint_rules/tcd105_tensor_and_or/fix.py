"""`a and b` of boolean tensors as a value -> `torch.logical_and(a, b)`."""

from __future__ import annotations

from torch_compile_lint.model import Edit, Fix, Safety, Span
from torch_compile_lint.rewrite.condition import boolean
from torch_compile_lint.rewrite.purity import only
from torch_compile_lint.rewrite.text import shadowed, source
from torch_compile_lint.rule import FunctionView, Hit, Tensor, ir


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    node: ir.Node | None = hit.node
    while node is not None and not isinstance(node, ir.BoolOp):
        node = view.parent(node)
    if not isinstance(node, ir.BoolOp) or shadowed("torch", view) or "#" in source(node, view):
        return None
    # `a or b` gives one of its operands: the same as logical_or only where all are booleans.
    for operand in node.values:
        value = view.value(operand)
        if not only(value, Tensor) or any(getattr(atom, "dtype", "") != "bool" for atom in value.atoms):
            return None
    text = boolean(node, view)
    if text is None:
        return None
    edit = Edit("", Span(node.start, node.end), text)
    return Fix(f"Use torch.logical_{node.op}", Safety.UNSAFE, (edit,), ("torch",))

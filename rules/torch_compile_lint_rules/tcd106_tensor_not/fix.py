"""`not t` as a value -> `torch.logical_not(t)`."""

from __future__ import annotations

from torch_compile_lint.model import Edit, Fix, Safety, Span
from torch_compile_lint.rewrite.purity import is_tensor
from torch_compile_lint.rewrite.text import argument, shadowed, source
from torch_compile_lint.rule import FunctionView, Hit, ir


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    node = hit.node
    if not isinstance(node, ir.Unary) or shadowed("torch", view) or "#" in source(node, view):
        return None
    if not is_tensor(node.operand, view):
        return None
    text = f"torch.logical_not({argument(node.operand, view)})"
    edit = Edit("", Span(node.start, node.end), text)
    return Fix("Use torch.logical_not", Safety.UNSAFE, (edit,), ("torch",))

"""`a if t else b` -> `torch.where(t, a, b)`."""

from __future__ import annotations

from torch_compile_lint.rewrite.choose import choose_ternary
from torch_compile_lint.rule import Fix, FunctionView, Hit, ir


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    node: ir.Node | None = hit.node
    while node is not None and not isinstance(node, ir.IfExp):
        node = view.parent(node)
    return choose_ternary(node, view) if isinstance(node, ir.IfExp) else None

"""Whether a number taken out of a tensor may stay a 0-d tensor: who uses it, and how.

True only where every use is arithmetic with a tensor: there a 0-d tensor and a Python number of
the same value give the same numbers (the pages name the dtypes for which they may not).
"""

from __future__ import annotations

from torch_compile_lint.facts import ir
from torch_compile_lint.program.values import Number
from torch_compile_lint.program.view import FunctionView
from torch_compile_lint.rewrite.flow import captured, reads_of, writes_of
from torch_compile_lint.rewrite.purity import is_tensor, only

_ARITHMETIC = frozenset(("+", "-", "*", "/", "**"))
_DEPTH = 6


def stays_tensor(expr: ir.Expr, view: FunctionView, depth: int = 0) -> bool:
    """Whether all that happens to ``expr`` is arithmetic that ends in a tensor."""
    parent = view.parent(expr)
    if depth > _DEPTH:
        return False
    if isinstance(parent, ir.Binary) and parent.op in _ARITHMETIC:
        other = parent.right if parent.left is expr else parent.left
        if is_tensor(other, view):
            return True
        return only(view.value(other), Number) and stays_tensor(parent, view, depth + 1)
    if isinstance(parent, ir.Unary) and parent.op in "+-":
        return stays_tensor(parent, view, depth + 1)
    if isinstance(parent, ir.AugAssign) and parent.value is expr and parent.op in _ARITHMETIC:
        return is_tensor(parent.target, view)
    if isinstance(parent, ir.Assign) and len(parent.targets) == 1 and isinstance(parent.targets[0], ir.Name):
        name = parent.targets[0].name
        if parent.targets[0].scope != "local" or captured(name, view) or len(writes_of(name, view)) != 1:
            return False
        uses = reads_of(name, view)
        return bool(uses) and all(stays_tensor(use, view, depth + 1) for use in uses)
    return False

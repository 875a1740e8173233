"""`self.count += 1` on a Python number -> a buffer that is added to in place.

Legal where the method only adds whole numbers to the attribute, or uses it as an operand of plain
arithmetic with a tensor; what the rest of the class does with it is asked in ``place_outside.py``.
"""

from __future__ import annotations

from torch_compile_lint.facts import ir
from torch_compile_lint.model import Edit, Fix, Outside, Safety, Span
from torch_compile_lint.program.view import FunctionView
from torch_compile_lint.rewrite.purity import is_tensor
from torch_compile_lint.rewrite.text import holds_comment, source

_ADDED = {"+": "add_", "-": "sub_"}


def into_buffer(op: ir.AugAssign, view: FunctionView) -> Fix | None:
    """The edits in the method: the statement itself, and reads that autograd would keep."""
    target, facts = op.target, view.facts
    if not isinstance(target, ir.Attribute) or not _is_self(target.base) or op.op not in _ADDED:
        return None
    if "<locals>" in facts.qualname or "." not in facts.qualname:
        return None
    if not facts.params or facts.params[0].name != "self" or facts.name == "__init__":
        return None
    if not _whole(op.value) or holds_comment(op, view):
        return None
    name = target.attr
    edits = [Edit("", Span(op.start, op.end), f"self.{name}.{_ADDED[op.op]}({source(op.value, view)})")]
    for node in view.nodes(ir.Attribute):
        if node.attr != name or node is target:
            continue
        parent = view.parent(node)
        if isinstance(parent, ir.AugAssign) and parent.target is node:
            if parent.op not in _ADDED or not _whole(parent.value) or not _is_self(node.base):
                return None
        elif (
            not isinstance(parent, ir.Binary)
            or not _is_self(node.base)
            or not _with_tensor(node, parent, view)
        ):
            return None
        elif parent.op in ("*", "/"):
            # The backward pass keeps this operand, and the next call writes to the buffer.
            edits.append(Edit("", Span(node.end, node.end), ".clone()"))
    if _named_in_text(name, view):
        return None
    title = f"Keep `self.{name}` as a buffer"
    return Fix(title, Safety.UNSAFE, tuple(edits), ("torch",), (Outside("buffer", (name,)),))


def _is_self(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Name) and expr.name == "self"


def _whole(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Const) and type(expr.value) is int


def _with_tensor(node: ir.Attribute, parent: ir.Binary, view: FunctionView) -> bool:
    """Whether the other operand is a tensor: a number and a 0-d tensor then promote the same way."""
    other = parent.right if parent.left is node else parent.left
    return parent.op in ("+", "-", "*", "/") and is_tensor(other, view)


def _named_in_text(name: str, view: FunctionView) -> bool:
    """Whether the method spells the attribute as a string, for `getattr` and its kin."""
    return any(node.value == name for node in view.nodes(ir.Const))

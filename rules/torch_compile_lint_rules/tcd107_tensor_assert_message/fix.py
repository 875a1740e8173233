"""`assert t, f"..."` -> the same with a message that is a constant."""

from __future__ import annotations

from torch_compile_lint.model import Edit, Fix, Safety, Span
from torch_compile_lint.rewrite.flow import statement_of
from torch_compile_lint.rewrite.raises import constant_message
from torch_compile_lint.rule import FunctionView, Hit, ir


def fix(hit: Hit, view: FunctionView) -> Fix | None:
    op = statement_of(hit.node, view)
    if not isinstance(op, ir.Assert) or op.message is None:
        return None
    text = constant_message(op.message, view)
    if text is None:
        return None
    edit = Edit("", Span(op.message.start, op.message.end), text)
    return Fix("Make the message a constant", Safety.UNSAFE, (edit,))

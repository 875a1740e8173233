"""`while` on a tensor -> the form that torch.while_loop wants, to be shown: it has rules of its own.

The carried values must keep shape and dtype, the body may write nothing else, and the operator is
a prototype; so this is never applied.
"""

from __future__ import annotations

from torch_compile_lint.facts import ir
from torch_compile_lint.model import Fix, Safety
from torch_compile_lint.program.view import FunctionView
from torch_compile_lint.rewrite.flow import captured, names_in, targets_of
from torch_compile_lint.rewrite.text import fresh, lines_of, source

IMPORT = "torch._higher_order_ops"


def while_loop(loop: ir.While, view: FunctionView) -> Fix | None:
    """The loop as two functions and one call; None where the body is more than assignments to names."""
    lines = lines_of(loop, view)
    if lines is None or loop.orelse:
        return None
    carried: list[str] = []
    for op in loop.body:
        bound = targets_of(op)
        if not bound or not isinstance(op, ir.Assign | ir.AugAssign):
            return None
        carried += [n for n in sorted(bound) if n not in carried]
    if any(captured(name, view) for name in carried):
        return None
    first = lines_of(loop.body[0], view)
    if first is None:
        return None
    test, step = fresh("go_on", view), fresh("step", view)
    names = ", ".join(carried)
    packed = f"({names},)" if len(carried) == 1 else f"({names})"
    taken = f"{names}," if len(carried) == 1 else names
    body = [first.indent + row for op in loop.body for row in source(op, view).splitlines()]
    rows = [
        f"{lines.indent}def {test}({names}):",
        f"{first.indent}return {source(loop.test, view)}",
        f"{lines.indent}def {step}({names}):",
        *body,
        f"{first.indent}return {packed}",
        f"{lines.indent}{taken} = {IMPORT}.while_loop({test}, {step}, {packed})",
    ]
    if not names_in(loop.test) & set(carried):
        return None
    return Fix("Write it as torch's while_loop", Safety.DISPLAY, (lines.replaced(rows),), (IMPORT,))

"""`if` on a tensor whose branches call something -> the form that torch.cond wants, to be shown.

torch.cond compiles both branches; their results must agree in shape, dtype and layout, and they may
write to nothing. Nothing here can know that, so the fix is never applied.
"""

from __future__ import annotations

from torch_compile_lint.facts import ir
from torch_compile_lint.model import Fix, Safety
from torch_compile_lint.program.view import FunctionView
from torch_compile_lint.rewrite.condition import condition
from torch_compile_lint.rewrite.flow import following
from torch_compile_lint.rewrite.text import Lines, argument, below, lines_of, source

TITLE = "Write it as torch.cond"


def show_cond(branch: ir.Branch, view: FunctionView) -> Fix | None:
    """Both sides give one value: assigned to the same name, or returned."""
    test = condition(branch.test, view)
    if test is None or test.static or source(branch, view).startswith("elif") or len(branch.body) != 1:
        return None
    other: ir.Op | None = branch.orelse[0] if len(branch.orelse) == 1 else None
    last: ir.Op = branch
    if not branch.orelse and isinstance(branch.body[0], ir.Return):
        rest = following(branch, view)
        other = rest[0] if rest else None
        last = other if other is not None else branch
    one = branch.body[0]
    pair = _pair(one, other, view)
    lines: Lines | None = lines_of(branch, view, last)
    if pair is None or lines is None:
        return None
    start, yes, no = pair
    if any(isinstance(node, ir.Await | ir.Yield | ir.Walrus) for op in (yes, no) for node in below(op)):
        return None
    text = (
        f"{start}torch.cond({test.tensor}, lambda: {argument(yes, view)}, lambda: {argument(no, view)}, ())"
    )
    return Fix(TITLE, Safety.DISPLAY, (lines.replaced([lines.indent + text]),), ("torch",))


def _pair(one: ir.Op, other: ir.Op | None, view: FunctionView) -> tuple[str, ir.Expr, ir.Expr] | None:
    """What stands before the call, and the two values."""
    if isinstance(one, ir.Return) and isinstance(other, ir.Return):
        return None if one.value is None or other.value is None else ("return ", one.value, other.value)
    if not isinstance(one, ir.Assign) or not isinstance(other, ir.Assign):
        return None
    if len(one.targets) != 1 or len(other.targets) != 1 or one.value is None or other.value is None:
        return None
    target, same = one.targets[0], other.targets[0]
    if not isinstance(target, ir.Name) or not isinstance(same, ir.Name) or target.name != same.name:
        return None
    return f"{target.name} = ", one.value, other.value

"""Statements that need not run while compiling: under `if not torch.compiler.is_compiling()`."""

from __future__ import annotations

from torch_compile_lint.facts import ir
from torch_compile_lint.model import Edit, Fix, Safety, Span
from torch_compile_lint.program.view import FunctionView
from torch_compile_lint.rewrite.flow import statement_of
from torch_compile_lint.rewrite.text import lines_of, shadowed, source

TEST = "not torch.compiler.is_compiling()"


def guard_statement(node: ir.Node, view: FunctionView, title: str) -> Fix | None:
    """Put the statement that is ``node`` (a call) under a test that is false while compiling.

    Where it is all that an `if` does, the test of that `if` is extended, which also keeps a
    tensor in it from being asked for its truth.
    """
    op = statement_of(node, view)
    if not isinstance(op, ir.ExprStmt) or op.value is not node or shadowed("torch", view):
        return None
    parent = view.parent(op)
    if isinstance(parent, ir.Branch) and _whole(parent, view):
        return _extend(parent, view, title)
    lines = lines_of(op, view)
    if lines is None:
        return None
    if not _reindentable(op, view):
        return None
    step = "\t" if lines.indent.endswith("\t") else "    "
    inner = (view.source or "")[lines.start : lines.end]
    body = "".join(step + line if line.strip() else line for line in inner.splitlines(keepends=True))
    new = f"{lines.indent}if {TEST}:{lines.newline}{body}"
    return Fix(title, Safety.UNSAFE, (Edit("", Span(lines.start, lines.end), new),), ("torch",))


def _whole(branch: ir.Branch, view: FunctionView) -> bool:
    """Whether a branch without `else` does nothing but write messages."""
    return not branch.orelse and len(branch.body) == 1 and not source(branch, view).startswith("elif")


def _extend(branch: ir.Branch, view: FunctionView, title: str) -> Fix | None:
    test = branch.test
    before = f"{TEST} and "
    edits = [Edit("", Span(test.start, test.start), before)]
    if isinstance(test, ir.BoolOp | ir.IfExp | ir.Lambda | ir.Walrus) and not (
        isinstance(test, ir.BoolOp) and test.op == "and"
    ):
        edits = [Edit("", Span(test.start, test.end), f"{before}({source(test, view)})")]
    return Fix(title, Safety.UNSAFE, tuple(edits), ("torch",))


def _reindentable(op: ir.Op, view: FunctionView) -> bool:
    """Whether all lines of a statement may be shifted: none of them lies inside a string."""
    text = source(op, view)
    return '"""' not in text and "'''" not in text and "\\\n" not in text

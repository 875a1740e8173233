"""A statement of a function that binds global names instead: a class, or imports that may fail.

Legal where the statement depends on nothing of its function, stands straight in its body, and no
other statement binds its names. What the rest of the file says of the names is asked when the
place is looked for (``place_outside.py``).
"""

from __future__ import annotations

import ast
import textwrap

from torch_compile_lint.facts import ir
from torch_compile_lint.model import Edit, Fix, Outside, Safety, Span
from torch_compile_lint.program.view import FunctionView
from torch_compile_lint.rewrite.flow import block_of
from torch_compile_lint.rewrite.module_names import global_names
from torch_compile_lint.rewrite.text import Lines, lines_of

_CONSTANT = (
    ast.Constant,
    ast.Name,
    ast.Attribute,
    ast.Tuple,
    ast.UnaryOp,
    ast.BinOp,
    ast.operator,
    ast.unaryop,
)
_WATCHERS = frozenset(("locals", "vars", "dir", "eval", "exec"))


def class_to_module_level(op: ir.ClassDef, view: FunctionView) -> Fix | None:
    """The class statement above the function, once."""
    lines = _whole(op, view)
    if lines is None:
        return None
    block = _dedented(lines, view)
    if block is None:
        return None
    (made,) = ast.parse(block).body
    if not isinstance(made, ast.ClassDef) or not all(_keeps_nothing(s) for s in made.body):
        return None
    return _moved(lines, block, (op.name,), view, f"Define `{op.name}` at module level")


def imports_to_module_level(op: ir.Try, view: FunctionView) -> Fix | None:
    """`try: import m` / `except ImportError: m = None` above the function, once."""
    lines = _whole(op, view)
    if lines is None or op.orelse or op.final or len(op.handlers) != 1:
        return None
    if any(not isinstance(s, ir.Import) or s.level for s in op.body):
        return None
    names = [local for s in op.body if isinstance(s, ir.Import) for _, local in s.names]
    fallback: set[str] = set()
    for other in op.handlers[0].body:
        if not isinstance(other, ir.Assign) or not isinstance(other.value, ir.Const):
            return None
        fallback |= {target.name for target in other.targets if isinstance(target, ir.Name)}
    if fallback != set(names) or "*" in names:
        return None
    block = _dedented(lines, view)
    if block is None:
        return None
    return _moved(lines, block, tuple(names), view, "Import at the top of the module")


def _whole(op: ir.Op, view: FunctionView) -> Lines | None:
    """The lines of a statement straight in the body of an unnested function that has others."""
    if (
        "<locals>" in view.facts.qualname
        or len(view.facts.body) < 2
        or block_of(op, view) is not view.facts.body
    ):
        return None
    return lines_of(op, view)


def _dedented(lines: Lines, view: FunctionView) -> str | None:
    """The text as it stands at module level; None where a string would change with its indentation."""
    block = textwrap.dedent((view.source or "")[lines.start : lines.end].replace("\r\n", "\n"))
    try:
        tree = ast.parse(block)
    except (SyntaxError, ValueError):
        return None
    if len(tree.body) != 1:
        return None
    documents = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.JoinedStr | ast.Constant) or id(node) in documents:
            continue
        if node.end_lineno != node.lineno:
            return None
    return block


def _keeps_nothing(statement: ast.stmt) -> bool:
    """Whether a statement of a class body gives the class nothing that one call could change for the next."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.Pass):
        return True
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        value = statement.value
        return value is None or all(
            isinstance(node, (*_CONSTANT, ast.expr_context)) for node in ast.walk(value)
        )
    return False


def _moved(lines: Lines, block: str, names: tuple[str, ...], view: FunctionView, title: str) -> Fix | None:
    taken = view.facts.locals | view.facts.free
    if global_names(block) & taken or any(n.startswith("__") for n in names):
        return None
    text = view.source or ""
    if not _bound_once(names, text) or _watched(view):
        return None
    stop, start = lines.end, lines.start
    before = text[:start].rstrip(" \t")
    blank = before.endswith(("\n\n", "\r\n\r\n"))
    following = text[stop:].split("\n", 1)[0]
    if (blank or _opens(before)) and not following.strip() and "\n" in text[stop:]:
        stop += len(following) + 1
    edit = Edit("", Span(start, stop), "")
    return Fix(title, Safety.UNSAFE, (edit,), outside=(Outside("module", names, block),))


def _opens(before: str) -> bool:
    return before.rstrip().endswith(":")


def _bound_once(names: tuple[str, ...], text: str) -> bool:
    """Whether the statement is all that binds the names in the function, and nothing stores on them."""
    try:
        tree = ast.parse(textwrap.dedent(text))
    except (SyntaxError, ValueError):
        return False
    counts = dict.fromkeys(names, 0)
    for node in ast.walk(tree):
        for name in _binds(node):
            if name in counts:
                counts[name] += 1
        if (
            isinstance(node, ast.Attribute | ast.Subscript)
            and not isinstance(node.ctx, ast.Load)
            and isinstance(node.value, ast.Name)
            and node.value.id in counts
        ):
            return False
    classes = {n.name for n in ast.walk(tree) if isinstance(n, ast.ClassDef)}
    # An import that may fail binds each of its names twice: there and in the handler.
    return all(count == (1 if name in classes else 2) for name, count in counts.items())


def _binds(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Name):
        return [] if isinstance(node.ctx, ast.Load) else [node.id]
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return [node.name]
    if isinstance(node, ast.alias):
        return [node.asname or node.name.partition(".")[0]]
    if isinstance(node, ast.Global | ast.Nonlocal):
        return list(node.names)
    if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
        return [node.name] if node.name else []
    return [node.arg] if isinstance(node, ast.arg) else []


def _watched(view: FunctionView) -> bool:
    """Whether the function looks at its own local names as a whole."""
    return any(node.name in _WATCHERS for node in view.nodes(ir.Name))

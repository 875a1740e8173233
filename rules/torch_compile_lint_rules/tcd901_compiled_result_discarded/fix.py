"""`torch.compile(model)` as a statement -> `model = torch.compile(model)`."""

from __future__ import annotations

import ast
import re

from torch_compile_lint.model import Edit, Fix, Safety, Span
from torch_compile_lint.rule import CompileCall, Hit, ir
from torch_compile_lint.source import LineIndex


def fix(hit: Hit, call: CompileCall, text: str) -> Fix | None:
    first = call.node.args[0] if call.node.args else None
    if call.symbol != "torch.compile" or first is None or first.star or first.keyword not in (None, "model"):
        return None
    name = text[first.value.start : first.value.end]
    if not re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", name):
        return None
    if "." not in name and call.scope and not _local(name, call.node, text):
        return None
    edit = Edit("", Span(call.node.start, call.node.start), f"{name} = ")
    return Fix("Keep the compiled callable", Safety.UNSAFE, (edit,))


def _local(name: str, node: ir.Call, text: str) -> bool:
    """Whether the innermost function around ``node`` binds the name itself: assigning it is legal there."""
    line = LineIndex(text).line(node.start)
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return False
    around = [
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) and n.lineno <= line <= (n.end_lineno or 0)
    ]
    if not around:
        return True
    inner = max(around, key=lambda n: n.lineno)
    arguments = inner.args
    given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    stored = {n.id for n in ast.walk(inner) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    declared = {x for n in ast.walk(inner) if isinstance(n, ast.Global | ast.Nonlocal) for x in n.names}
    return name in declared or name in stored or any(a.arg == name for a in given)

"""Calls of a class that stand in the project, sliced to the statements they need.

Looked at: ``if __name__ == "__main__"`` blocks, functions of tests and scripts, module level. Found:
``m = Net(...)`` followed by ``m(...)``. Out: the source of the backward slice, to be executed in the
worker inside the file's module.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Sequence
from typing import Any

_MAX_FILES = 400
_MAX_STATEMENTS = 40
_HARMLESS = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Import, ast.ImportFrom, ast.Expr)

Calls = dict[str, list[dict[str, Any]]]


def find_calls(path: str, tree: ast.Module, read: Callable[[str], str], project: Sequence[str]) -> Calls:
    """By class name: scripts that leave ``fn``, ``args`` and ``kwargs`` behind. At most three a class."""
    names = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    names |= {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    found: Calls = {}
    _search(path, tree, names, found)
    module = os.path.splitext(os.path.basename(path))[0]
    for other in _others(path, project):
        text = read(other)
        if module in text and any(name in text for name in names):
            try:
                _search(other, ast.parse(text), names, found)
            except (SyntaxError, ValueError, RecursionError):
                continue
    return found


def _others(path: str, project: Sequence[str]) -> list[str]:
    """Other files that may call it: tests and scripts of the project, in small projects all."""
    files: list[str] = []
    for item in project:
        if os.path.isfile(item):
            files.append(item)
            continue
        for folder, folders, inside in os.walk(item):
            folders[:] = [
                f for f in folders if not f.startswith(".") and f not in ("node_modules", "__pycache__")
            ]
            files += [os.path.join(folder, name) for name in inside if name.endswith(".py")]
            if len(files) > _MAX_FILES:
                return []
    return [f for f in dict.fromkeys(files) if f != path]


def _search(path: str, tree: ast.Module, names: set[str], found: Calls) -> None:
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    for body in _bodies(tree):
        made: dict[str, str] = {}
        for number, statement in enumerate(body):
            for call in (node for node in ast.walk(statement) if isinstance(node, ast.Call)):
                name = _called(call, made, names)
                if name is not None:
                    script = _script(body[: number + 1], call, imports)
                    rows = found.setdefault(name, [])
                    if script is not None and len(rows) < 3:
                        rows.append({"file": path, "line": call.lineno, "source": script})
            target = _made(statement, names)
            if target is not None:
                made[target[0]] = target[1]


def _bodies(tree: ast.Module) -> list[list[ast.stmt]]:
    bodies = [list(tree.body)]
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.If | ast.With | ast.For):
            bodies.append(node.body)
    return bodies


def _made(statement: ast.stmt, names: set[str]) -> tuple[str, str] | None:
    """``m = Net(...)``, also with ``.eval()``, ``.to(...)`` or ``torch.compile`` around it: (m, Net)."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target = statement.targets[0]
    if not isinstance(target, ast.Name):
        return None
    for node in ast.walk(statement.value):
        if isinstance(node, ast.Call) and _last(node.func) in names:
            return (target.id, _last(node.func))
    return None


def _last(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _called(call: ast.Call, made: dict[str, str], names: set[str]) -> str | None:
    """The class whose instance is called, or the function that is."""
    if isinstance(call.func, ast.Name):
        if call.func.id in made:
            return made[call.func.id]
        if call.func.id in names and call.func.id[:1].islower():
            return call.func.id
    if isinstance(call.func, ast.Call) and _last(call.func.func) in names and call.args:
        return _last(call.func.func)
    return None


def _script(body: Sequence[ast.stmt], call: ast.Call, imports: Sequence[ast.stmt]) -> str | None:
    """Statements that the call needs, then the names the worker reads; None where that cannot be cut out."""
    if any(isinstance(arg, ast.Starred) for arg in call.args) or any(k.arg is None for k in call.keywords):
        return None
    needed = {node.id for node in ast.walk(call) if isinstance(node, ast.Name)}
    kept: list[ast.stmt] = []
    for statement in reversed(body[:-1]):
        bound = _binds(statement)
        mutates = isinstance(statement, ast.Expr) and bool(_receiver(statement) & needed)
        if bound & needed or mutates:
            if not isinstance(statement, _HARMLESS):
                return None
            kept.insert(0, statement)
            needed |= {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
        if len(kept) > _MAX_STATEMENTS:
            return None
    used = [s for s in imports if _binds(s) & needed and s not in kept]
    last = [
        ast.Assign([ast.Name("fn", ast.Store())], call.func),
        ast.Assign([ast.Name("args", ast.Store())], ast.Tuple(list(call.args), ast.Load())),
        ast.Assign(
            [ast.Name("kwargs", ast.Store())],
            ast.Dict([ast.Constant(k.arg) for k in call.keywords], [k.value for k in call.keywords]),
        ),
    ]
    lines = [ast.unparse(ast.fix_missing_locations(statement)) for statement in [*used, *kept, *last]]
    return "\n".join(lines) + "\n"


def _binds(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).split(".")[0] for alias in statement.names}
    stored = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        stored.add(statement.name)
    return stored


def _receiver(statement: ast.Expr) -> set[str]:
    """``m.eval()`` changes m."""
    node: ast.expr = statement.value
    while isinstance(node, ast.Call | ast.Attribute):
        node = node.func if isinstance(node, ast.Call) else node.value
    return {node.id} if isinstance(node, ast.Name) and isinstance(statement.value, ast.Call) else set()

"""Settings of Dynamo that a file switches on: `torch._dynamo.config.allow_rnn = True` and its spellings.

A setting that is assigned holds for the whole process from there on; one that is patched
(`config.patch(allow_rnn=True)`) for the function it decorates or stands in. A setting that is a
set of functions (`config.reorderable_logging_functions.add(print)`) is named with each of them.
"""

from __future__ import annotations

import ast
from typing import Any

_CONFIG = "torch._dynamo.config"
_ADDS = frozenset(("add", "update"))


def settings_on(tree: ast.Module, text: str) -> tuple[str, ...]:
    """``scope:name`` for each, sorted; scope is '' for the process, else the function it holds in.

    A scope of '*' instead of '' says that the file is run as a script, so that what it sets
    holds in all that it imports.
    """
    if "_dynamo" not in text or "config" not in text:
        return ()
    found: set[tuple[str, str]] = set()
    names = _names(tree)
    waiting: list[tuple[Any, str]] = [(node, "") for node in tree.body]
    while waiting:
        node, scope = waiting.pop()
        inner = scope
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = f"{scope}.{node.name}" if scope else node.name
            for decorator in node.decorator_list:
                found.update((inner, name) for name in _patched(decorator, names))
        elif isinstance(node, ast.Assign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                found.update(("", name) for name in _assigned(_dotted(target, names), node.value, names))
        elif isinstance(node, ast.Call):
            found.update(("", name) for name in _added(node, names))
            found.update((scope, name) for name in _patched(node, names))
        waiting.extend((child, inner) for child in ast.iter_child_nodes(node))
    whole = "*" if any(_is_main(node) for node in tree.body) else ""
    return tuple(sorted(f"{scope or whole}:{name}" for scope, name in found))


def _names(tree: ast.Module) -> dict[str, str]:
    """What the file's imports of torch are called, wherever they stand."""
    names: dict[str, str] = {"print": "print"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                names[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return names


def _dotted(node: Any, names: dict[str, str]) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([names.get(node.id, ""), *reversed(parts)])


def _assigned(target: str, value: ast.expr, names: dict[str, str]) -> list[str]:
    """`config.name = True`, and `config.name = {print}` or `|= {print}`."""
    home, _, name = target.rpartition(".")
    if home != _CONFIG:
        return []
    if isinstance(value, ast.Constant):
        return [name] if value.value is True else []
    return _each(name, value, names)


def _each(name: str, value: ast.expr, names: dict[str, str]) -> list[str]:
    """A setting that is a set, with each function of a literal one."""
    items = value.elts if isinstance(value, ast.Set | ast.List | ast.Tuple) else [value]
    return [f"{name}.{function}" for function in (_dotted(item, names) for item in items) if function]


def _added(call: ast.Call, names: dict[str, str]) -> list[str]:
    """`config.name.add(print)`, `config.name.update({print})`, `setattr(config, "name", True)`."""
    if isinstance(call.func, ast.Name) and call.func.id == "setattr" and len(call.args) == 3:
        place, name, value = call.args
        if (
            _dotted(place, names) == _CONFIG
            and isinstance(name, ast.Constant)
            and isinstance(name.value, str)
        ):
            return _assigned(f"{_CONFIG}.{name.value}", value, names)
    home, _, method = _dotted(call.func, names).rpartition(".")
    if method in _ADDS and home.startswith(_CONFIG + ".") and call.args:
        return _each(home[len(_CONFIG) + 1 :], call.args[0], names)
    return []


def _patched(node: ast.expr, names: dict[str, str]) -> list[str]:
    """`config.patch(name=True)`, `config.patch("name", True)`, `config.patch({"name": True})`."""
    if not isinstance(node, ast.Call) or _dotted(node.func, names) != f"{_CONFIG}.patch":
        return []
    given: list[tuple[Any, ast.expr]] = [(k.arg, k.value) for k in node.keywords]
    if len(node.args) == 2 and isinstance(node.args[0], ast.Constant):
        given.append((node.args[0].value, node.args[1]))
    if node.args and isinstance(node.args[0], ast.Dict):
        first = node.args[0]
        given += [(getattr(k, "value", None), v) for k, v in zip(first.keys, first.values, strict=True)]
    return [str(name) for name, value in given if name and getattr(value, "value", None) is True]


def _is_main(node: ast.stmt) -> bool:
    """`if __name__ == "__main__":`"""
    if not isinstance(node, ast.If):
        return False
    return any(isinstance(part, ast.Name) and part.id == "__name__" for part in ast.walk(node.test))

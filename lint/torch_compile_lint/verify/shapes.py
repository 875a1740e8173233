"""What a file says about shapes: jaxtyping annotations, comments and docstrings, and how parameters are
used.

Out: for each parameter of ``forward`` and of the constructor a small dict of hints (``dims``,
``dtype``, ``rank``). Names of dimensions become distinct primes in the worker, so that an accidental
broadcast shows.
"""

from __future__ import annotations

import ast
import re
from typing import Any

Hints = dict[str, dict[str, Any]]

_DTYPES = {
    "Float": "float", "Float32": "float", "Float16": "float", "BFloat16": "float", "Float64": "float",
    "Int": "int", "Int32": "int", "Int64": "int", "Integer": "int", "UInt8": "int", "Long": "int",
    "Bool": "bool", "Complex": "complex", "Num": "float", "Shaped": "float", "Inexact": "float",
}  # fmt: skip
_SHAPE = r"[\(\[]\s*([A-Za-z_*]\w*|\d+)((?:\s*[,x×]\s*(?:[A-Za-z_*][\w]*|\d+))+)\s*,?\s*[\)\]]"
_LINE = re.compile(
    r"\b(\w+)\s*(?::|=|\(Tensor\)|\(torch\.Tensor\)|has shape|of shape|shape)[^\n(\[]{0,40}" + _SHAPE
)


def hints(tree: ast.Module, text: str, name: str) -> dict[str, Hints]:
    """Hints for a class (its ``forward`` and ``__init__``) or a function, by parameter name."""
    node = _definition(tree, name)
    if node is None:
        return {}
    if not isinstance(node, ast.ClassDef):
        return {"forward": _function(node, text)}
    found: dict[str, Hints] = {}
    for item in node.body:
        if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef) and item.name in ("forward", "__init__"):
            found[item.name] = _function(item, text)
    return found


def _definition(tree: ast.Module, name: str) -> ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | None:
    scope: ast.AST = tree
    for part in name.split("."):
        match = None
        for node in ast.walk(scope) if scope is tree else ast.iter_child_nodes(scope):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.name == part:
                match = node
                break
        if match is None:
            return None
        scope = match
    return scope if isinstance(scope, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) else None


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef, text: str) -> Hints:
    found: Hints = {}
    names = {item.arg for item in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]}
    body = "\n".join(text.split("\n")[node.lineno - 1 : node.end_lineno])
    for match in _LINE.finditer(body):
        if match.group(1) in names:
            dims = [match.group(2), *re.findall(r"[A-Za-z_*]\w*|\d+", match.group(3))]
            if 1 < len(dims) <= 6:
                found.setdefault(match.group(1), {"dims": dims})
    for item in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
        annotated = _jaxtyping(item.annotation)
        if annotated:
            found[item.arg] = annotated
    return found


def _jaxtyping(annotation: ast.expr | None) -> dict[str, Any]:
    """``Float[Tensor, "batch 3 height"]`` -> its dtype and dimensions."""
    if not isinstance(annotation, ast.Subscript):
        return {}
    base = annotation.value
    kind = base.attr if isinstance(base, ast.Attribute) else base.id if isinstance(base, ast.Name) else ""
    inside = annotation.slice
    if kind not in _DTYPES or not isinstance(inside, ast.Tuple) or len(inside.elts) != 2:
        return {}
    text = inside.elts[1]
    if not isinstance(text, ast.Constant) or not isinstance(text.value, str):
        return {}
    dims = [part.lstrip("*#?_").split("=")[-1] or "d" for part in text.value.split() if part != "..."]
    return {"dtype": _DTYPES[kind], "dims": dims}

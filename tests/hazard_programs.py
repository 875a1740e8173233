"""The measured hazards as programs for the analyzer: one file per case, without running torch.

A builder in fixtures/hazards defines functions or modules and returns ``Case(fn, args)``. Its
body becomes a module, ``return Case(fn, ...)`` becomes ``torch.compile(fn)``, and parameters
are annotated by what the case passes, because a case that passes a tensor means a tensor.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "fixtures" / "hazards"
RELEASES = {"2.3": "2.3.1", "2.6": "2.6.0", "2.9": "2.9.1", "2.13": "2.13.0", "2.14": "2.14.1"}

FULLGRAPH_COLUMNS = ("2.3.1", "2.6.0", "2.9.1", "2.14.1")  # of `fullgraph_raises`


def cells() -> dict[str, dict[str, object]]:
    table: dict[str, dict[str, object]] = json.loads((FOLDER / "cells.json").read_text())["cells"]
    return table


def _is_builder(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and any(
        isinstance(d, ast.Call) and isinstance(d.func, ast.Name) and d.func.id == "case"
        for d in node.decorator_list
    )


def _annotation(value: ast.expr) -> ast.expr | None:
    """The type a case passes, where its expression says so."""
    if isinstance(value, ast.Constant) and value.value is not None:
        return ast.Name(type(value.value).__name__)
    inner: ast.expr = value
    while isinstance(inner, ast.Call | ast.Attribute | ast.Subscript):
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name):
            is_grid = inner.func.id == "grid"
            return ast.parse("torch.Tensor", mode="eval").body if is_grid else None
        if isinstance(inner, ast.Call):
            inner = inner.func
        else:
            inner = inner.value
    if isinstance(inner, ast.Name) and inner.id == "torch":
        return ast.parse("torch.Tensor", mode="eval").body
    return None


def _first_call(call: ast.Call) -> list[ast.expr]:
    """The argument expressions of the first call of a Case, as far as they are written out."""
    if len(call.args) > 1 and isinstance(call.args[1], ast.Tuple):
        return call.args[1].elts
    for keyword in call.keywords:
        if keyword.arg == "calls":
            value = keyword.value
            if isinstance(value, ast.Call):  # _calls(values): a grid first
                return [ast.parse("grid()", mode="eval").body]
            if isinstance(value, ast.List | ast.ListComp):
                first = value.elts[0] if isinstance(value, ast.List) else value.elt
                if isinstance(first, ast.Tuple):
                    return first.elts
            return [ast.parse("grid()", mode="eval").body]
    return []


def _annotate(body: list[ast.stmt], target: ast.expr, values: list[ast.expr]) -> None:
    names: set[str] = set()
    for node in ast.walk(target):
        if isinstance(node, ast.Name):
            names.add(node.id)
    known = {
        t.id: s.value for s in body if isinstance(s, ast.Assign) for t in s.targets if isinstance(t, ast.Name)
    }
    for name in list(names):
        if name in known:
            names |= {n.id for n in ast.walk(known[name]) if isinstance(n, ast.Name)}
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) and statement.name in names:
            _annotate_parameters(statement.args.args, values, known)
        elif isinstance(statement, ast.ClassDef) and statement.name in names:
            for method in statement.body:
                if isinstance(method, ast.FunctionDef) and method.name == "forward":
                    _annotate_parameters(method.args.args[1:], values, known)


def _annotate_parameters(
    parameters: list[ast.arg], values: list[ast.expr], known: dict[str, ast.expr]
) -> None:
    for parameter, value in zip(parameters, values, strict=False):
        said = known.get(value.id, value) if isinstance(value, ast.Name) else value
        if parameter.annotation is None:
            parameter.annotation = _annotation(said)


def _program(shared: list[ast.stmt], builder: ast.FunctionDef, options: str) -> str:
    body = list(builder.body)
    last = body.pop()
    call = last.value if isinstance(last, ast.Return) else None
    if isinstance(call, ast.Name):  # k = Case(...); return k
        call = next(
            s.value
            for s in body
            if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name) and s.targets[0].id == call.id
        )
    assert isinstance(call, ast.Call), builder.name
    fn = call.args[0]
    _annotate(body, fn, _first_call(call))
    raw = any(k.arg == "raw" for k in call.keywords)
    mark = [] if raw else [ast.parse(f"compiled = torch.compile({ast.unparse(fn)}{options})").body[0]]
    body = [s for s in body if "Case(" not in ast.unparse(s)]
    # Alternatives that only tweaks compile are no part of the case.
    module = ast.Module([ast.Import([ast.alias("torch")]), *shared, *body, *mark], [])
    return ast.unparse(ast.fix_missing_locations(module)) + "\n"


def write(folder: Path, options: str = "") -> dict[str, Path]:
    """One file per case in ``folder``; case name to path. ``options``: of torch.compile, as ', a=b'."""
    out: dict[str, Path] = {}
    for group in sorted(FOLDER.glob("*.py")):
        if group.name in ("__init__.py", "case.py"):
            continue
        tree = ast.parse(group.read_text())
        shared = [
            node
            for node in tree.body
            if not _is_builder(node) and not (isinstance(node, ast.ImportFrom) and node.level)
        ]
        for node in tree.body:
            if _is_builder(node):
                assert isinstance(node, ast.FunctionDef)
                path = folder / f"{node.name}.py"
                path.write_text(_program(shared, node, options))
                out[node.name] = path
    return out


def raises_under_fullgraph(cell: dict[str, Any], release: str) -> bool | None:
    """Whether ``fullgraph=True`` raised; None where nothing was measured, or eager raises as well."""
    full = RELEASES[release]
    if effects(cell["verdict"][full]) is None:
        return None
    said = cell.get(f"fullgraph_{full}")
    if said is None:  # one answer for all of these, or one each; the id stands at the last
        said = cell["fullgraph_raises"].replace("n/a", "na").split("/")
        said = said[FULLGRAPH_COLUMNS.index(full) if len(said) > 1 else 0]
    return None if said.startswith(("na", "n/a", "crash")) else said.startswith("Y")


def effects(verdict: str) -> set[str] | None:
    """The effects a cell names; empty = fine; None = nothing a tool could be measured against."""
    if verdict == "ok":
        return set()
    if verdict.startswith(("n/a", "raises as eager", "nd")):
        return None
    if verdict.startswith("exc type"):
        return None
    found = set()
    for word, effect in (
        ("ERROR", "error"),
        ("CRASH", "error"),
        ("WRONG", "wrong"),
        ("skip", "skip"),
        ("break", "break"),
        ("recompile", "recompile"),
    ):
        if word in verdict.split(" (")[0]:
            found.add(effect)
    return found

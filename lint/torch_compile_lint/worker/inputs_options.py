"""Other values for a constructor's optional parameters: those that the code of the class tells apart.

``if mode == "random"``, ``isinstance(size, tuple)``, ``if self.cached``, ``count > 1``: each names a value
that takes the other branch. In: a class. Out: parameter and value, one option at a time.
"""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
from typing import Any, Iterator

from .inputs_names import constructor_candidates

MOST = 8  # options tried for one class
_CERTAIN = ("p", "prob", "probability")


def options(cls: Any) -> list[tuple[str, Any]]:
    """Pairs of a parameter and a value for it that is not its default; at most ``MOST``, plainest first."""
    tests = _tests(cls)
    found: list[tuple[str, Any]] = []
    for name, parameter in _optional(cls):
        for value in _values(name, parameter, tests.get(name, [])):
            if not _same(value, parameter.default) and not any(
                _same(value, v) for n, v in found if n == name
            ):
                found.append((name, value))
    return found[:MOST]


def certain(cls: Any) -> dict[str, Any]:
    """Probabilities of doing anything at all, set to one."""
    return {
        name: 1.0
        for name, parameter in _optional(cls)
        if _is_chance(name) and isinstance(parameter.default, float) and 0.0 < parameter.default < 1.0
    }


def _optional(cls: Any) -> Iterator[tuple[str, inspect.Parameter]]:
    try:
        parameters = inspect.signature(cls).parameters
    except (TypeError, ValueError):
        return
    for name, parameter in parameters.items():
        if parameter.default is not inspect.Parameter.empty and name not in ("device", "dtype"):
            yield name, parameter


def _values(name: str, parameter: inspect.Parameter, tests: list[tuple[str, Any]]) -> Iterator[Any]:
    default = parameter.default
    if isinstance(default, bool):
        yield not default
        return
    if _is_chance(name) and isinstance(default, float):
        yield 1.0
        return
    for kind, item in tests:
        if kind == "equals" and (default is None or type(item) is type(default)):
            yield item
        elif kind == "above" and type(default) in (int, float) and default <= item:
            yield item + 1 if type(default) is int else item + 0.5
        elif kind == "several" and default is not None and not isinstance(default, (list, tuple)):
            yield (default, default)
        elif kind == "true" and not default:
            yield from _truthy(name, parameter)
        elif kind == "none" and default is not None:
            yield None


def _is_chance(name: str) -> bool:
    return name in _CERTAIN or (name.endswith("_prob") and "drop" not in name)


def _truthy(name: str, parameter: inspect.Parameter) -> Iterator[Any]:
    default = parameter.default
    if default is None:
        yield from constructor_candidates(name, parameter)[:2]
    elif type(default) in (int, float):
        yield 1 if type(default) is int else 0.5


def _same(left: Any, right: Any) -> bool:
    try:
        return type(left) is type(right) and bool(left == right)
    except Exception:  # tensors and the like
        return left is right


@functools.lru_cache(maxsize=256)
def _tests(cls: Any) -> dict[str, list[tuple[str, Any]]]:
    """What the class and its bases ask of each name, be it a parameter or the attribute of that name."""
    found: dict[str, list[tuple[str, Any]]] = {}
    for owner in cls.__mro__:
        if owner.__module__.split(".")[0] in ("builtins", "torch", "abc", "typing"):
            continue
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(owner)))
        except (OSError, TypeError, SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            for name, test in _asked(node):
                found.setdefault(name, []).append(test)
    return found


def _asked(node: ast.AST) -> Iterator[tuple[str, tuple[str, Any]]]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        name, operator, other = _name(node.left), node.ops[0], node.comparators[0]
        if not name:
            return
        items = other.elts if isinstance(other, (ast.Tuple, ast.List, ast.Set)) else [other]
        constants = [item.value for item in items if isinstance(item, ast.Constant)]
        if isinstance(operator, (ast.Eq, ast.NotEq, ast.In, ast.NotIn)):
            for constant in constants:
                yield name, ("equals", constant)
        elif isinstance(operator, (ast.Gt, ast.GtE)) and constants and type(constants[0]) in (int, float):
            yield name, ("above", constants[0])
        elif isinstance(operator, (ast.Is, ast.IsNot)) and constants == [None]:
            yield name, ("true", None)
            yield name, ("none", None)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
        if len(node.args) == 2 and _name(node.args[0]):
            kinds = {part.id for part in ast.walk(node.args[1]) if isinstance(part, ast.Name)}
            if kinds & {"list", "tuple", "Sequence", "Iterable"}:
                yield _name(node.args[0]), ("several", None)
    elif isinstance(node, (ast.If, ast.IfExp)):
        parts = node.test.values if isinstance(node.test, ast.BoolOp) else [node.test]
        for part in parts:
            part = part.operand if isinstance(part, ast.UnaryOp) else part
            if _name(part):
                yield _name(part), ("true", None)


def _name(node: ast.expr) -> str:
    """``size`` of ``size`` and of ``self.size``."""
    if isinstance(node, ast.Name):
        return node.id
    own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return node.attr.lstrip("_") if own and isinstance(node, ast.Attribute) else ""

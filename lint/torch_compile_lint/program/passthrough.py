"""Functions that give back what they were given.

Many decorators do: they register a class, or write its docstring, and return it. Where only a
function's result is wanted, such a body need not be evaluated, once for each class it decorates.
"""

from __future__ import annotations

from torch_compile_lint.facts import ir
from torch_compile_lint.program.function_view import Outline, outline

_UNKNOWN_YET = -2
_NONE = -1


def returned_parameter(facts: ir.FunctionFacts) -> int | None:
    """The number of the parameter that every ``return`` returns as it came; None where there is none."""
    seen = outline(facts)
    if seen.passes == _UNKNOWN_YET:
        seen.passes = _find(facts, seen)
    return None if seen.passes == _NONE else seen.passes


def _find(facts: ir.FunctionFacts, seen: Outline) -> int:
    returns = seen.by_kind.get(ir.Return, [])
    names = {_name(node.value) if isinstance(node, ir.Return) else None for node in returns}
    if len(names) != 1 or facts.is_generator or facts.is_async or not _ends(facts.body):
        return _NONE
    (name,) = names
    for number, param in enumerate(facts.params):
        if param.name == name and not param.kind.startswith("var-") and not _bound_again(name, seen):
            return number
    return _NONE


def _name(value: ir.Expr | None) -> str | None:
    return value.name if isinstance(value, ir.Name) else None


def _ends(body: tuple[ir.Op, ...]) -> bool:
    """True where a block cannot be left at its end."""
    last = body[-1] if body else None
    if isinstance(last, (ir.Return, ir.Raise)):
        return True
    if isinstance(last, ir.Branch):
        return _ends(last.body) and _ends(last.orelse)
    return isinstance(last, ir.With) and _ends(last.body)


def _bound_again(name: str, seen: Outline) -> bool:
    """True where anything but the call may give the name a value."""
    return any(name in _binds(node) for node in seen.nodes)


def _binds(node: ir.Node) -> set[str | None]:
    if isinstance(node, ir.Assign):
        return _names(node.targets)
    if isinstance(node, (ir.AugAssign, ir.For, ir.Walrus, ir.Clause)):
        return _names((node.target,))
    if isinstance(node, ir.WithItem):
        return _names((node.target,))
    if isinstance(node, ir.Delete):
        return _names(node.targets)
    if isinstance(node, ir.Import):
        return {local for _, local in node.names}
    if isinstance(node, (ir.Handler, ir.ClassDef)):
        return {node.name}
    if isinstance(node, ir.Pattern):
        return set(node.names)
    if isinstance(node, ir.FunctionDef):
        return {node.name, *(_from_outside(node.function) if node.function is not None else ())}
    return set()


def _from_outside(facts: ir.FunctionFacts) -> set[str]:
    """Names of the enclosing functions that a nested one may rebind."""
    inner = outline(facts)
    found = {name for node in inner.nodes if isinstance(node, ir.Global) for name in node.names}
    for node in inner.nodes:
        if isinstance(node, ir.FunctionDef) and node.function is not None:
            found |= _from_outside(node.function)
    return found


def _names(targets: tuple[ir.Expr | None, ...]) -> set[str | None]:
    found: set[str | None] = set()
    for target in targets:
        if isinstance(target, ir.Name):
            found.add(target.name)
        elif isinstance(target, ir.Sequence):
            found |= _names(target.items)
        elif isinstance(target, ir.Starred):
            found |= _names((target.value,))
    return found

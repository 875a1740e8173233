"""Classes with a metaclass that defines ``__call__``: what Dynamo, which ignores it, leaves out.

Measured on 2.3.1, 2.6.0, 2.9.1, 2.13.0 and 2.14.1: the object is made by ``__new__`` and ``__init__`` alone.
Where ``__call__`` only passes on, nothing is lost; an attribute that it alone sets is missing, and reading it
ends the frame; anything else it does is left out without a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch_compile_lint.facts import ir
from torch_compile_lint.facts.walk import nodes

if TYPE_CHECKING:
    from torch_compile_lint.program.infer import Analyzer


def called(analyzer: Analyzer, symbol: str) -> list[str]:
    """The names of what calling the class runs besides ``__init__``; none where nothing is lost without it.

    ``META.__call__``, and ``<sets attributes>`` where what it does is to set some that the class has not.
    """
    meta = analyzer.names.metaclass_call(symbol)
    if meta is None:
        return []
    function = analyzer.attributes.method(meta, "__call__", None)
    found = None if function is None else analyzer.closures.find(function)
    facts = None if found is None else analyzer.closures.load(found)
    if facts is None:
        return [f"{meta}.__call__"]
    if _passes_on(facts):
        return []
    names = [f"{meta}.__call__"]
    added = _attributes_set(facts)
    if added and any(analyzer.attributes.stored(symbol, name) is None for name in added):
        names.append("<sets attributes>")
    return names


def _passes_on(facts: ir.FunctionFacts) -> bool:
    """``return super().__call__(...)``, also by way of one name."""
    body = [op for op in facts.body if not (type(op) is ir.ExprStmt and type(op.value) is ir.Const)]
    if len(body) == 2 and type(body[0]) is ir.Assign and type(body[1]) is ir.Return:
        made, given = body[0].targets[0], body[1].value
        same = len(body[0].targets) == 1 and type(made) is ir.Name and type(given) is ir.Name
        return same and made.name == given.name and _is_super(body[0].value)  # type: ignore[attr-defined,union-attr]
    return len(body) == 1 and type(body[0]) is ir.Return and _is_super(body[0].value)


def _is_super(expr: ir.Expr | None) -> bool:
    """``super().__call__(...)`` or ``type.__call__(...)``."""
    if type(expr) is not ir.Call or type(expr.func) is not ir.Attribute or expr.func.attr != "__call__":
        return False
    base = expr.func.base
    base = base.func if type(base) is ir.Call else base
    return type(base) is ir.Name and base.name in ("super", "type")


def _attributes_set(facts: ir.FunctionFacts) -> list[str]:
    """Attributes that the function sets on something other than the class itself."""
    owner = facts.params[0].name if facts.params else ""
    return [
        target.attr
        for op in nodes(facts)
        if type(op) is ir.Assign
        for target in op.targets
        if type(target) is ir.Attribute and type(target.base) is ir.Name and target.base.name != owner
    ]

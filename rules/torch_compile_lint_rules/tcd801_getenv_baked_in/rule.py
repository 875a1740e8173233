"""Reads of os.environ that are not guarded on while the variable is unset. os.getenv is a `[[calls]]` row."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import Confidence, FunctionView, Hit, Instance, Rule, ir

GETS = frozenset(("os.environ.get", "os._Environ.get"))
CATCHES = ("KeyError", "LookupError", "Exception", "BaseException")


def check(node: ir.Call | ir.Compare | ir.Subscript, view: FunctionView) -> Iterator[Hit]:
    """`.get()`, `in`, and a subscript whose KeyError is caught: all three survive an unset name."""
    if isinstance(node, ir.Call):
        # A whole call of `get`: by what is called, or by what it is called on where that is unknown.
        if not GETS.isdisjoint(view.callees(node)) or (_is_get(node) and _is_environ(_base(node), view)):
            yield _hit(node, view)
    elif isinstance(node, ir.Compare):
        if _is_environ(_container(node), view):
            yield _hit(node, view)
    elif _is_environ(node.base, view) and _is_caught(node, view):
        yield _hit(node, view)


def _hit(node: ir.Expr, view: FunctionView) -> Hit:
    # Whether the variable is set when the graph is made is decided outside.
    return Hit(node, "unset", {"read": view.text(node)}, confidence=Confidence.LIKELY)


def _is_environ(base: ir.Expr | None, view: FunctionView) -> bool:
    if base is None:
        return False
    if isinstance(base, ir.Name | ir.Attribute) and view.text(base) in ("os.environ", "environ"):
        return True
    return any(isinstance(atom, Instance) and atom.symbol == "os._Environ" for atom in view.value(base).atoms)


def _is_get(call: ir.Call) -> bool:
    return isinstance(call.func, ir.Attribute) and call.func.attr == "get"


def _base(call: ir.Call) -> ir.Expr | None:
    return call.func.base if isinstance(call.func, ir.Attribute) else None


def _container(compare: ir.Compare) -> ir.Expr:
    """What `in` looks into; `.keys()` asks the same."""
    right = compare.rights[-1]
    if isinstance(right, ir.Call) and isinstance(right.func, ir.Attribute) and right.func.attr == "keys":
        return right.func.base
    return right


def _is_caught(node: ir.Node, view: FunctionView) -> bool:
    child, parent = node, view.parent(node)
    while parent is not None:
        if isinstance(parent, ir.Try) and any(op is child for op in parent.body):
            return any(h.type is None or view.text(h.type).endswith(CATCHES) for h in parent.handlers)
        child, parent = parent, view.parent(parent)
    return False


def _reads(node: ir.Call | ir.Compare | ir.Subscript) -> bool:
    if isinstance(node, ir.Call):
        return _is_get(node)
    return isinstance(node, ir.Subscript) or node.ops[-1] in ("in", "not in")


RULE = Rule(on=(ir.Call, ir.Compare, ir.Subscript), check=check, callees=tuple(GETS), where=_reads)

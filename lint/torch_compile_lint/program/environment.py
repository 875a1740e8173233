"""Reads of the process's environment: what is asked of it, and where ``os.environ`` stands in that."""

from __future__ import annotations

from collections.abc import Collection

from torch_compile_lint.facts import ir
from torch_compile_lint.program.values import Instance
from torch_compile_lint.program.view import FunctionView
from torch_compile_lint.records import dataclass

ENVIRONMENT_GETS = ("os.environ.get", "os._Environ.get")
ENVIRONMENT_COPIES = ("os.environ.copy", "os.environ.items")
_CATCHES = ("KeyError", "LookupError", "Exception", "BaseException")
_METHODS = {"get": "get", "copy": "copy", "items": "copy", "setdefault": "setdefault"}
_CALLEES = {
    "os.getenv": "getenv",
    **dict.fromkeys(ENVIRONMENT_GETS, "get"),
    **dict.fromkeys(ENVIRONMENT_COPIES, "copy"),
    "os.environ.setdefault": "setdefault",
}


@dataclass(frozen=True, slots=True)
class EnvironmentRead:
    """``form``: subscript, caught (its KeyError is caught), contains, get, copy, setdefault or getenv.

    ``environ`` is the expression that is ``os.environ``; None where the read does not spell it.
    """

    form: str
    environ: ir.Expr | None


def may_read_environment(node: ir.Node, methods: Collection[str]) -> bool:
    """By its shape alone: a subscript, an ``in``, or a call of one of the methods."""
    if isinstance(node, ir.Compare):
        return node.ops[-1] in ("in", "not in")
    if isinstance(node, ir.Call):
        return isinstance(node.func, ir.Attribute) and node.func.attr in methods
    return isinstance(node, ir.Subscript)


def environment_read(node: ir.Node, view: FunctionView) -> EnvironmentRead | None:
    """What a node reads of the environment; None where it does not."""
    if isinstance(node, ir.Subscript):
        if not _is_environ(node.base, view):
            return None
        return EnvironmentRead("caught" if _is_caught(node, view) else "subscript", node.base)
    if isinstance(node, ir.Compare):
        held = _container(node)
        return EnvironmentRead("contains", held) if _is_environ(held, view) else None
    return _called(node, view) if isinstance(node, ir.Call) else None


def _called(call: ir.Call, view: FunctionView) -> EnvironmentRead | None:
    base = call.func.base if isinstance(call.func, ir.Attribute) else None
    known = {_CALLEES[callee] for callee in view.callees(call) if callee in _CALLEES}
    if isinstance(call.func, ir.Attribute) and _is_environ(call.func.base, view):
        known.add(_METHODS.get(call.func.attr, ""))
    for form in ("getenv", "get", "copy", "setdefault"):
        if form in known:
            return EnvironmentRead(form, None if form == "getenv" else base)
    return None


def _is_environ(base: ir.Expr, view: FunctionView) -> bool:
    if isinstance(base, ir.Name | ir.Attribute) and view.text(base) in ("os.environ", "environ"):
        return True
    return any(isinstance(atom, Instance) and atom.symbol == "os._Environ" for atom in view.value(base).atoms)


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
            return any(h.type is None or view.text(h.type).endswith(_CATCHES) for h in parent.handlers)
        child, parent = parent, view.parent(parent)
    return False

"""os.environ[...], os.environ.get, `in os.environ`, os.getenv. What is frozen has a rule of its own."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Instance, Rule, ir

GETS = frozenset(("os.environ.get", "os._Environ.get"))
METHODS = ("get", "setdefault", "items", "copy")
COPIES = frozenset(("os.environ.copy", "os.environ.items"))
CATCHES = ("KeyError", "LookupError", "Exception", "BaseException")


def check(node: ir.Subscript | ir.Call | ir.Compare, view: FunctionView) -> Iterator[Hit]:
    form = _form(node, view)
    if form:
        yield Hit(node, form, {"value": view.text(node)})


def _form(node: ir.Subscript | ir.Call | ir.Compare, view: FunctionView) -> str:
    if isinstance(node, ir.Subscript):
        if not _is_environ(node.base, view):
            return ""
        return "caught" if _is_caught(node, view) else "environ"
    if isinstance(node, ir.Compare):
        return "contains" if _is_environ(_container(node), view) else ""
    callees = view.callees(node)
    if "os.getenv" in callees:
        return "getenv"
    if not GETS.isdisjoint(callees) or _asks(node, "get", view):
        return "get"
    if not COPIES.isdisjoint(callees) or _asks(node, "copy", view) or _asks(node, "items", view):
        return "copy"
    return "environ" if "os.environ.setdefault" in callees or _asks(node, "setdefault", view) else ""


def _asks(call: ir.Call, method: str, view: FunctionView) -> bool:
    func = call.func
    return isinstance(func, ir.Attribute) and func.attr == method and _is_environ(func.base, view)


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
            return any(h.type is None or view.text(h.type).endswith(CATCHES) for h in parent.handlers)
        child, parent = parent, view.parent(parent)
    return False


def _reads(node: ir.Subscript | ir.Call | ir.Compare) -> bool:
    if isinstance(node, ir.Compare):
        return node.ops[-1] in ("in", "not in")
    return isinstance(node, ir.Subscript) or (
        isinstance(node.func, ir.Attribute) and node.func.attr in METHODS
    )


RULE = Rule(
    on=(ir.Subscript, ir.Call, ir.Compare),
    check=check,
    callees=("os.getenv", "os.environ.setdefault", *GETS, *COPIES),
    where=_reads,
)

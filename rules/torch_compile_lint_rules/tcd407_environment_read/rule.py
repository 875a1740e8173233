"""os.environ[...], os.environ.get, os.getenv. What os.getenv freezes silently has a rule of its own."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Instance, Rule, ir

READS = frozenset(
    ("os.environ.get", "os._Environ.get", "os.environ.setdefault", "os.environ.items", "os.environ.copy")
)


def _is_environ(base: ir.Expr, view: FunctionView) -> bool:
    if isinstance(base, ir.Name | ir.Attribute) and view.text(base) in ("os.environ", "environ"):
        return True
    return any(isinstance(atom, Instance) and atom.symbol == "os._Environ" for atom in view.value(base).atoms)


def check(node: ir.Subscript | ir.Call, view: FunctionView) -> Iterator[Hit]:
    if isinstance(node, ir.Subscript):
        if _is_environ(node.base, view):
            yield Hit(node, "environ", {"value": view.text(node)})
        return
    callees = view.callees(node)
    if "os.getenv" in callees:
        yield Hit(node, "getenv", {"value": view.text(node)})
    elif not READS.isdisjoint(callees) or (
        isinstance(node.func, ir.Attribute) and node.func.attr == "get" and _is_environ(node.func.base, view)
    ):
        yield Hit(node, "environ", {"value": view.text(node)})


def _reads(node: ir.Subscript | ir.Call) -> bool:
    return isinstance(node, ir.Subscript) or (isinstance(node.func, ir.Attribute) and node.func.attr == "get")


RULE = Rule(on=(ir.Subscript, ir.Call), check=check, callees=("os.getenv", *READS), where=_reads)

"""`self.items.append(x)` and the like on lists that are not local."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import Confidence, Container, FunctionView, Hit, Instance, Rule, Unknown, ir

GROWING = frozenset(("append", "extend", "insert"))


def _outlives(base: ir.Expr, view: FunctionView) -> str | None:
    if isinstance(base, ir.Attribute):
        owner = view.value(base.base).atoms
        return "self" if any(isinstance(atom, Instance) and atom.module for atom in owner) else "other"
    if isinstance(base, ir.Name) and base.scope != "local":
        return "other"
    if isinstance(base, ir.Name) and view.is_root and any(p.name == base.name for p in view.facts.params):
        return "other"
    return None


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    func = call.func
    if not isinstance(func, ir.Attribute) or func.attr not in GROWING:
        return
    form = _outlives(func.base, view)
    if form is None or _made_here(func.base, view):
        return
    atoms = view.value(func.base).atoms
    is_argument = isinstance(func.base, ir.Name) and func.base.scope == "local"
    if is_argument and view.facts.name == "forward":
        return  # whoever calls a module mostly makes the list anew
    if all(isinstance(atom, Container) and atom.kind == "list" for atom in atoms):
        confidence = Confidence.LIKELY if is_argument else Confidence.PROVED
        yield Hit(call, form, {"value": view.text(call)}, func.base, confidence)
    elif isinstance(func.base, ir.Name) and func.attr == "append" and Unknown() in atoms:
        # An argument that is appended to is a list, whatever else is unknown about it.
        yield Hit(call, form, {"value": view.text(call)}, None, Confidence.LIKELY)


def _made_here(base: ir.Expr, view: FunctionView) -> bool:
    """Whether the function itself stored a new list there: then it is as long in every call."""
    text = view.text(base)
    return any(view.text(target) == text for assign in view.nodes(ir.Assign) for target in assign.targets)


def _grows(call: ir.Call) -> bool:
    return isinstance(call.func, ir.Attribute) and call.func.attr in GROWING


RULE = Rule(on=(ir.Call,), check=check, where=_grows)

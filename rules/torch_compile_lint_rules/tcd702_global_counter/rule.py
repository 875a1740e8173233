"""`global n; n += 1`, `nonlocal n; n += 1` on numbers."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Number, Rule, ir


def check(node: ir.AugAssign, view: FunctionView) -> Iterator[Hit]:
    target = node.target
    if not isinstance(target, ir.Name) or target.scope == "local":
        return
    if all(isinstance(atom, Number) for atom in view.value(target).atoms):
        form = "nonlocal" if target.scope == "free" else "global"
        yield Hit(node, form, {"value": view.text(node)}, target)


def _is_outer_name(node: ir.AugAssign) -> bool:
    return isinstance(node.target, ir.Name) and node.target.scope != "local"


RULE = Rule(on=(ir.AugAssign,), check=check, where=_is_outer_name)

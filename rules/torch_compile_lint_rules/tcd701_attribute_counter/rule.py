"""`self.count += 1` where the attribute is a Python number."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Instance, Number, Rule, ir


def check(node: ir.AugAssign, view: FunctionView) -> Iterator[Hit]:
    target = node.target
    if not isinstance(target, ir.Attribute):
        return
    owner, value = view.value(target.base), view.value(target)
    if any(isinstance(atom, Instance) and atom.module for atom in owner.atoms) and all(
        isinstance(atom, Number) for atom in value.atoms
    ):
        yield Hit(node, "counter", {"value": view.text(node)}, target)


def _is_attribute(node: ir.AugAssign) -> bool:
    return isinstance(node.target, ir.Attribute)


RULE = Rule(on=(ir.AugAssign,), check=check, where=_is_attribute)

"""`if self.cache is None: self.cache = ...`, `self.table[key] = tensor`."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import Container, FunctionView, Hit, Instance, Rule, ir, tensor_confidence


def _tested_for_none(test: ir.Expr, view: FunctionView) -> Iterator[ir.Attribute]:
    if isinstance(test, ir.BoolOp):
        for value in test.values:
            yield from _tested_for_none(value, view)
    elif isinstance(test, ir.Compare) and test.ops == ("is",) and isinstance(test.left, ir.Attribute):
        right = test.rights[0]
        if isinstance(right, ir.Const) and right.value is None:
            yield test.left


def _is_module(base: ir.Expr, view: FunctionView) -> bool:
    return any(isinstance(atom, Instance) and atom.module for atom in view.value(base).atoms)


def _branch(node: ir.Branch, view: FunctionView) -> Iterator[Hit]:
    for attribute in _tested_for_none(node.test, view):
        if not _is_module(attribute.base, view):
            continue
        text = view.text(attribute)
        for op in node.body:
            if isinstance(op, ir.Assign) and any(view.text(target) == text for target in op.targets):
                yield Hit(op, "cache", {"value": text})
                return


def _store(node: ir.Assign, view: FunctionView) -> Iterator[Hit]:
    for target in node.targets:
        if not isinstance(target, ir.Subscript) or not isinstance(target.base, ir.Attribute):
            continue
        held = view.value(target.base).atoms
        if (
            _is_module(target.base.base, view)
            and all(isinstance(atom, Container) and atom.kind == "dict" for atom in held)
            and node.value is not None
            and tensor_confidence(view.value(node.value)) is not None
        ):
            yield Hit(node, "key", {"value": view.text(target)}, target.base)


def check(node: ir.Branch | ir.Assign, view: FunctionView) -> Iterator[Hit]:
    yield from _branch(node, view) if isinstance(node, ir.Branch) else _store(node, view)


def _may_cache(node: ir.Branch | ir.Assign) -> bool:
    if isinstance(node, ir.Branch):
        return isinstance(node.test, ir.BoolOp | ir.Compare)
    return any(isinstance(t, ir.Subscript) and isinstance(t.base, ir.Attribute) for t in node.targets)


RULE = Rule(on=(ir.Branch, ir.Assign), check=check, where=_may_cache)

"""`value in tensor`; `tensor in [a, b]` is traced and stays silent."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import (
    FunctionView,
    Hit,
    Number,
    Rule,
    Text,
    Value,
    elements,
    in_test,
    ir,
    tensor_confidence,
)


def check(node: ir.Compare, view: FunctionView) -> Iterator[Hit]:
    for op, right in zip(node.ops, node.rights, strict=True):
        if op in ("in", "not in"):
            confidence = tensor_confidence(view.value(right))
            if confidence is not None and not _text(view.value(node.left)):
                yield Hit(node, "in", {"value": view.text(right)}, right, confidence)
                return
            yield from _sought(node, op, view)
            return


def _text(value: Value) -> bool:
    """Whether this is text: no tensor can be asked for it, so what is asked is no tensor."""
    return bool(value.atoms) and all(isinstance(atom, Text) for atom in value.atoms)


def _sought(node: ir.Compare, op: str, view: FunctionView) -> Iterator[Hit]:
    """A tensor looked for among numbers: `in` is only asked for its truth in a test, `not in` always."""
    confidence = tensor_confidence(view.value(node.left))
    if confidence is None or len(node.ops) > 1 or not (op == "not in" or in_test(node, view)):
        return
    held = list(elements(view.value(node.rights[0])))
    if held and all(isinstance(atom, Number) for value in held for atom in value.atoms):
        form = "not-sought" if op == "not in" else "sought"
        yield Hit(node, form, {"value": view.text(node.left)}, node.left, confidence)


def _contains(node: ir.Compare) -> bool:
    return "in" in node.ops or "not in" in node.ops


RULE = Rule(on=(ir.Compare,), check=check, where=_contains)

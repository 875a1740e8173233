"""`assert t, f"..."`: only a missing or constant message lets Dynamo trace the check."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, Text, ir, tensor_confidence, truth_operands


def check(node: ir.Assert, view: FunctionView) -> Iterator[Hit]:
    message = node.message
    if message is None or isinstance(message, ir.Const):
        return
    atoms = view.value(message).atoms
    if all(isinstance(atom, Text) and atom.const is not None for atom in atoms):
        return
    for operand in truth_operands(node.test):
        confidence = tensor_confidence(view.value(operand))
        if confidence is not None:
            yield Hit(operand, "assert", {"value": view.text(operand)}, operand, confidence)
            return


def _has_message(node: ir.Assert) -> bool:
    return node.message is not None and not isinstance(node.message, ir.Const)


RULE = Rule(on=(ir.Assert,), check=check, where=_has_message)

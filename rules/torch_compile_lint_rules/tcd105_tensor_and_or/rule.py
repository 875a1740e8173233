"""`a and b`, `a or b` as values: all operands but the last are tested for truth."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, in_test, ir, tensor_confidence, truth_operands


def check(node: ir.BoolOp, view: FunctionView) -> Iterator[Hit]:
    if in_test(node, view):
        return  # only steers a jump: the rule of that statement speaks
    for tested in node.values[:-1]:
        for operand in truth_operands(tested):
            confidence = tensor_confidence(view.value(operand))
            if confidence is not None:
                yield Hit(
                    operand, "and-or", {"op": node.op, "value": view.text(operand)}, operand, confidence
                )
                return


RULE = Rule(on=(ir.BoolOp,), check=check)

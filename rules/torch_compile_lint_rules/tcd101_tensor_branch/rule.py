"""`if` and `elif` whose test takes the truth of a tensor. One finding per statement: the first operand."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir, tensor_confidence, truth_operands


def check(node: ir.Branch, view: FunctionView) -> Iterator[Hit]:
    for operand in truth_operands(node.test):
        confidence = tensor_confidence(view.value(operand))
        if confidence is not None:
            yield Hit(operand, "if", {"value": view.text(operand)}, operand, confidence)
            return


RULE = Rule(on=(ir.Branch,), check=check)

"""`while` whose test takes the truth of a tensor."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir, tensor_confidence, truth_operands


def check(node: ir.While, view: FunctionView) -> Iterator[Hit]:
    for operand in truth_operands(node.test):
        confidence = tensor_confidence(view.value(operand))
        if confidence is not None:
            yield Hit(operand, "while", {"value": view.text(operand)}, operand, confidence)
            return


RULE = Rule(on=(ir.While,), check=check)

"""`[... for t in ts if condition]` whose condition takes the truth of a tensor."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir, tensor_confidence, truth_operands


def check(node: ir.Comprehension, view: FunctionView) -> Iterator[Hit]:
    for clause in node.clauses:
        for condition in clause.conditions:
            for operand in truth_operands(condition):
                confidence = tensor_confidence(view.value(operand))
                if confidence is not None:
                    yield Hit(operand, "filter", {"value": view.text(operand)}, operand, confidence)
                    return


def _filters(node: ir.Comprehension) -> bool:
    return any(clause.conditions for clause in node.clauses)


RULE = Rule(on=(ir.Comprehension,), check=check, where=_filters)

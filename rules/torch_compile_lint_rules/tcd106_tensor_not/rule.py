"""`not t` used as a value. In a test `not` is only a jump, which the rule of that statement reports."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, in_test, ir, tensor_confidence


def check(node: ir.Unary, view: FunctionView) -> Iterator[Hit]:
    if node.op != "not" or in_test(node, view):
        return
    confidence = tensor_confidence(view.value(node.operand))
    if confidence is not None:
        yield Hit(node, "not", {"value": view.text(node.operand)}, node.operand, confidence)


def _is_not(node: ir.Unary) -> bool:
    return node.op == "not"


RULE = Rule(on=(ir.Unary,), check=check, where=_is_not)

"""`a < t < b` as a value: an implicit `and` on the first comparison."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, in_test, ir, tensor_confidence

ORDER = frozenset(("<", "<=", ">", ">=", "==", "!="))


def check(node: ir.Compare, view: FunctionView) -> Iterator[Hit]:
    if len(node.ops) < 2 or in_test(node, view):
        return
    operands = (node.left, *node.rights)
    for index, op in enumerate(node.ops[:-1]):
        if op not in ORDER:
            continue
        for operand in operands[index : index + 2]:
            confidence = tensor_confidence(view.value(operand))
            if confidence is not None:
                yield Hit(node, "chain", {"value": view.text(node)}, operand, confidence)
                return


def _is_chain(node: ir.Compare) -> bool:
    return len(node.ops) > 1


RULE = Rule(on=(ir.Compare,), check=check, where=_is_chain)

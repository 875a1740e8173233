"""`value in tensor`; `tensor in [a, b]` is traced and stays silent."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir, tensor_confidence


def check(node: ir.Compare, view: FunctionView) -> Iterator[Hit]:
    for op, right in zip(node.ops, node.rights, strict=True):
        if op in ("in", "not in"):
            confidence = tensor_confidence(view.value(right))
            if confidence is not None:
                yield Hit(node, "in", {"value": view.text(right)}, right, confidence)
                return


RULE = Rule(on=(ir.Compare,), check=check)

"""`x[:t]`: a slice bound that is a tensor."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import FunctionView, Hit, Rule, ir, tensor_confidence


def check(node: ir.Slice, view: FunctionView) -> Iterator[Hit]:
    for bound in (node.lower, node.upper, node.step):
        if bound is not None:
            confidence = tensor_confidence(view.value(bound))
            if confidence is not None:
                yield Hit(bound, "slice", {"value": view.text(bound)}, bound, confidence)
                return


def _is_open(node: ir.Slice) -> bool:
    return any(not isinstance(b, ir.Const) for b in (node.lower, node.upper, node.step) if b is not None)


RULE = Rule(on=(ir.Slice,), check=check, where=_is_open)

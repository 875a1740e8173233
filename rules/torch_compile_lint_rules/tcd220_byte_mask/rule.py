"""A mask of dtype uint8, as code wrote it before torch had bool tensors (1.2)."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import (
    Confidence,
    FunctionView,
    Hit,
    Rule,
    Tensor,
    ir,
    is_annotated,
    is_written,
    tensor_confidence,
)

WHERE = frozenset(("torch.where", "torch.Tensor.where"))


def _confidence(mask: ir.Expr, view: FunctionView) -> Confidence | None:
    """How surely this is a uint8 tensor. `ByteTensor` in an annotation is often older than the mask."""
    value = view.value(mask)
    if not value.atoms or not all(isinstance(a, Tensor) and a.dtype == "byte" for a in value.atoms):
        return None
    return Confidence.POSSIBLE if is_annotated(value) else tensor_confidence(value)


def check(node: ir.Subscript | ir.Call, view: FunctionView) -> Iterator[Hit]:
    if isinstance(node, ir.Subscript):
        confidence = _confidence(node.index, view)
        if confidence is not None and not is_written(node, view) and tensor_confidence(view.value(node.base)):
            yield Hit(node, "read", {"value": view.text(node)}, node.index, confidence)
        return
    named = [argument.value for argument in node.args if argument.keyword == "condition"]
    plain = [argument.value for argument in node.args if argument.keyword is None and not argument.star]
    mask = next(iter([*named, *plain]), None)
    if mask is None or len(node.args) < 2 or WHERE.isdisjoint(view.callees(node)):
        return
    confidence = _confidence(mask, view)
    if confidence is not None:
        yield Hit(node, "where", {"func": view.text(node.func), "mask": view.text(mask)}, mask, confidence)


def _may_mask(node: ir.Subscript | ir.Call) -> bool:
    return isinstance(node, ir.Subscript) and not isinstance(node.index, ir.Const | ir.Slice | ir.Sequence)


RULE = Rule(on=(ir.Subscript, ir.Call), check=check, callees=WHERE, where=_may_mask)

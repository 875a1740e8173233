"""`x[mask]` read with a boolean mask, and masked_select. Writing through a mask keeps shapes and is fine."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import (
    Confidence,
    FunctionView,
    Hit,
    Rule,
    Tensor,
    Unknown,
    Value,
    ir,
    is_written,
    tensor_confidence,
)

SELECTS = frozenset(("torch.masked_select", "torch.Tensor.masked_select"))


def _is_mask(index: ir.Expr, view: FunctionView) -> Confidence | None:
    value = view.value(index)
    atoms = [atom for atom in value.atoms if isinstance(atom, Tensor) and atom.dtype == "bool"]
    return tensor_confidence(value) if atoms else None


def _unknown(value: Value) -> bool:
    return all(isinstance(atom, Unknown) for atom in value.atoms)


def _subscript(node: ir.Subscript, view: FunctionView) -> Iterator[Hit]:
    base = view.value(node.base)
    if is_written(node, view) or (tensor_confidence(base) is None and not _unknown(base)):
        return
    index = node.index
    for part in index.items if isinstance(index, ir.Sequence) and index.kind == "tuple" else (index,):
        confidence = _is_mask(part, view)
        if confidence is not None and _unknown(base):
            # A list could be indexed by a 0-d bool tensor, but not by a mask.
            if tensor_confidence(view.value(node)) is None:
                return
            confidence = min(confidence, Confidence.LIKELY)
        if confidence is not None:
            yield Hit(node, "mask", {"value": view.text(node)}, part, confidence)
            return


def check(node: ir.Subscript | ir.Call, view: FunctionView) -> Iterator[Hit]:
    if isinstance(node, ir.Subscript):
        yield from _subscript(node, view)
    elif not SELECTS.isdisjoint(view.callees(node)):
        subject = node.func.base if isinstance(node.func, ir.Attribute) else None
        yield Hit(node, "select", {"func": view.text(node.func)}, subject)


def _may_mask(node: ir.Subscript | ir.Call) -> bool:
    return isinstance(node, ir.Subscript) and not isinstance(node.index, ir.Const | ir.Slice)


RULE = Rule(on=(ir.Subscript, ir.Call), check=check, callees=SELECTS, where=_may_mask)

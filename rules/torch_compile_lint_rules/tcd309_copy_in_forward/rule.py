"""copy.copy, copy.deepcopy: of tensors and modules, of containers, of plain data."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import (
    Confidence,
    Container,
    FunctionView,
    Hit,
    Instance,
    Rule,
    Tensor,
    Value,
    ir,
    tensor_confidence,
)


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    callees = view.callees(call)
    deep = "copy.deepcopy" in callees
    copied = view.argument(call, 0, "x")
    if copied is None or not (deep or "copy.copy" in callees):
        return
    form, confidence = _form(view.value(copied), deep)
    yield Hit(call, form, {"call": view.text(call)}, copied, confidence)


def _form(value: Value, deep: bool) -> tuple[str, Confidence]:
    """What is copied. A deep copy breaks at the tensors inside, a shallow one at lists and dicts."""
    if tensor_confidence(value) is not None or any(isinstance(a, Instance) and a.module for a in value.atoms):
        return "tensor", value.confidence
    if deep:
        held = _holds_tensors(value)
        # Of an object nobody knows more: plain data as a rule, and on 2.13 and later that is traced.
        return ("tensor", Confidence.LIKELY) if held else ("plain", Confidence.PROVED)
    listed = all(isinstance(a, Container) and a.kind in ("list", "dict", "set") for a in value.atoms)
    return ("copy", value.confidence) if listed else ("plain", Confidence.PROVED)


def _holds_tensors(value: Value, depth: int = 0) -> bool:
    for atom in value.atoms:
        if isinstance(atom, Tensor) or (isinstance(atom, Instance) and atom.module):
            return True
        if isinstance(atom, Container) and depth < 4:
            held = atom.items if atom.items is not None else (atom.element,) if atom.element else ()
            if any(_holds_tensors(inner, depth + 1) for inner in held):
                return True
    return False


RULE = Rule(on=(ir.Call,), check=check, callees=("copy.deepcopy", "copy.copy"))

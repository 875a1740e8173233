"""isinstance(x, (A, (B, C))) where x is no tensor."""

from __future__ import annotations

from collections.abc import Iterator

from torch_compile_lint.rule import (
    Confidence,
    Container,
    FunctionView,
    Hit,
    Rule,
    Tensor,
    Unknown,
    Value,
    ir,
)


def _is_tuple(value: Value) -> bool:
    return bool(value.atoms) and all(isinstance(a, Container) and a.kind == "tuple" for a in value.atoms)


def _nested(value: Value) -> bool:
    atom = value.atoms[0] if len(value.atoms) == 1 else None
    return isinstance(atom, Container) and _is_tuple(value) and any(map(_is_tuple, atom.items or ()))


def check(call: ir.Call, view: FunctionView) -> Iterator[Hit]:
    classes = view.argument(call, 1)
    subject = view.argument(call, 0)
    if classes is None or subject is None or "builtins.isinstance" not in view.callees(call):
        return
    atoms = view.value(subject).atoms
    if all(isinstance(atom, Tensor) for atom in atoms) or not _nested(view.value(classes)):
        return  # of a tensor Dynamo knows the class: measured, that is traced
    unsure = any(isinstance(atom, Tensor | Unknown) for atom in atoms)
    confidence = Confidence.LIKELY if unsure else Confidence.PROVED
    yield Hit(call, "nested", {"classes": view.text(classes)}, subject, confidence)


RULE = Rule(on=(ir.Call,), check=check)

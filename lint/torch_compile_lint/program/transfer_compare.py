"""Comparisons: ``a < b``, ``a is b``, ``a in b``."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from torch_compile_lint.program import transfer_version
from torch_compile_lint.program.lattice import join
from torch_compile_lint.program.transfer_kinds import broadcast, build, source_of, tensor_atoms, weakest
from torch_compile_lint.program.values import (
    BOOL,
    NEVER,
    UNKNOWN,
    Api,
    Array,
    Atom,
    ClassRef,
    Container,
    Function,
    Instance,
    NoneAtom,
    Number,
    Opaque,
    Origin,
    Partial,
    PyModule,
    Size,
    Tensor,
    Text,
    Unknown,
    Value,
    constant,
)

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_REASONS = {op: f"`{op}` with a tensor gives a bool tensor" for op in _COMPARE}
# What a tensor cannot be compared with.
_INERT = (NoneAtom, Function, ClassRef, Api, PyModule, Partial)


def compare(op: str, left: Value, right: Value) -> Value:
    """The value of one link of a comparison chain, ``left op right``."""
    if op in ("is", "is not"):
        same = _same(left, right)
        return BOOL if same is None else constant(same if op == "is" else not same)
    if op in ("in", "not in"):
        return _contains(op, left, right)
    if len(left.atoms) == 1 and len(right.atoms) == 1:
        one = _compare(op, left.atoms[0], right.atoms[0], left, right)
        return BOOL if one is None else one
    out = NEVER
    for a in left.atoms:
        for b in right.atoms:
            result = _compare(op, a, b, left, right)
            if result is not None:
                out = join(out, result)
    return out if out.atoms else BOOL


def _compare(op: str, a: Atom, b: Atom, left: Value, right: Value) -> Value | None:
    ta, tb = type(a), type(b)
    equality = op in ("==", "!=")
    if ta is Tensor or tb is Tensor:
        other = tb if ta is Tensor else ta
        value = left if ta is Tensor else right
        if other in _INERT or other is Text or other is Container or other is Opaque:
            # Tensor.__eq__ gives up on foreign types and Python falls back to identity.
            return (BOOL if other is Opaque else constant(op == "!=")) if equality else None
        if other is Unknown:
            # `t == None` is a plain False: an unknown operand leaves both possible.
            confidence = value.confidence
            if equality:
                return Value((Tensor("bool"),), confidence, _compared(op, value))
        if other is Number:
            rank = a.rank if type(a) is Tensor else b.rank  # type: ignore[union-attr]
        else:
            rank = broadcast([x.rank if type(x) is Tensor else None for x in (a, b)])
        # Of two tensors the surer one is reason enough.
        confidence = max(left.confidence, right.confidence) if other is Tensor else value.confidence
        return Value(tensor_atoms("bool", rank), confidence, _compared(op, value))
    if ta is Array or tb is Array:
        return build(Array(), left if ta is Array else right) if NoneAtom not in (ta, tb) else BOOL
    if ta is Unknown or tb is Unknown:
        other = tb if ta is Unknown else ta
        # Comparing with a string, None or a container is never elementwise for tensors.
        if equality and other in (Text, NoneAtom, ClassRef, Function, PyModule):
            return BOOL
        return UNKNOWN
    if (Opaque in (ta, tb) or ta is tb is Container) and (placed := transfer_version.order(a, b)) is not None:
        return constant(_COMPARE[op](placed, 0))
    if (type(a) is Number and type(b) is Number) or (type(a) is Text and type(b) is Text):
        if a.const is not None and b.const is not None:
            return constant(_COMPARE[op](a.const, b.const))
        if type(a) is Number:
            return Value((Number("bool", source_of(left, right)),), weakest(left, right))
        return BOOL
    if ta is Instance or tb is Instance:
        return UNKNOWN if not equality else BOOL
    if equality and (ta is NoneAtom) != (tb is NoneAtom) and Opaque not in (ta, tb):
        return constant(op == "!=")
    if equality and NoneAtom is ta is tb:
        return constant(op == "==")
    if equality and {ta, tb} <= {Text, Number, Size, Function, ClassRef, PyModule} and ta is not tb:
        return constant(op == "!=")
    source = source_of(left, right)
    return Value((Number("bool", "shape" if source == "shape" else "python"),))


def _compared(op: str, value: Value) -> Origin:
    return Origin(_REASONS[op], value.origin)


def _same(left: Value, right: Value) -> bool | None:
    """Whether ``left is right`` is decided by the kinds alone."""
    for one, two in ((left, right), (right, left)):
        if len(one.atoms) == 1 and type(one.atoms[0]) is NoneAtom:
            if len(two.atoms) == 1 and type(two.atoms[0]) is NoneAtom:
                return True
            if not two.atoms or any(type(a) in (NoneAtom, Unknown) for a in two.atoms):
                return None
            # Something opaque (a config field, a third-party result) may well be None.
            return None if any(type(a) is Opaque for a in two.atoms) else False
    if len(left.atoms) == 1 and len(right.atoms) == 1:
        a, b = left.atoms[0], right.atoms[0]
        if type(a) is Number and type(b) is Number and a.type == b.type == "bool":
            return None if a.const is None or b.const is None else a.const == b.const
        if type(a) is ClassRef and type(b) is ClassRef:
            return a.symbol == b.symbol
    return None


def _contains(op: str, left: Value, right: Value) -> Value:
    if len(right.atoms) == 1:
        atom = right.atoms[0]
        if type(atom) is Tensor:
            return Value((Number("bool", "tensor"),), right.confidence)
        known = _known_member(left, atom)
        if known is not None:
            return constant(known if op == "in" else not known)
    return Value((Number("bool", "tensor" if _tensor_member(left, right) else "python"),))


def _tensor_member(left: Value, right: Value) -> bool:
    return any(type(a) is Tensor for a in left.atoms) and any(
        type(a) is Container and a.kind in ("list", "tuple") for a in right.atoms
    )


def _known_member(left: Value, atom: Atom) -> bool | None:
    if len(left.atoms) != 1:
        return None
    item = left.atoms[0]
    if type(item) not in (Text, Number, NoneAtom) or (type(item) is not NoneAtom and item.const is None):  # type: ignore[union-attr]
        return None
    wanted = None if type(item) is NoneAtom else item.const  # type: ignore[union-attr]
    if type(atom) is Text and atom.const is not None and isinstance(wanted, str):
        return wanted in atom.const
    if type(atom) is not Container or atom.items is None:
        return None
    if atom.kind == "dict":
        return wanted in atom.keys if atom.keys is not None else None
    for held in atom.items:
        if len(held.atoms) != 1:
            return None
        other = held.atoms[0]
        if type(other) is NoneAtom:
            if wanted is None:
                return True
        elif type(other) in (Text, Number) and other.const is not None:  # type: ignore[union-attr]
            if other.const == wanted:  # type: ignore[union-attr]
                return True
        else:
            return None
    return False

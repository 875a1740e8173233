"""Operators: what ``a + b``, ``-a``, ``a < b``, ``a[i]``, iteration and truth give.

Every function maps values to a value and looks at nothing else. Combinations that raise in
Python (None + 1) contribute nothing: what runs on is the rest of the union.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from torch_compile_lint.program.lattice import element_of, join, join_all
from torch_compile_lint.program.transfer_compare import compare
from torch_compile_lint.program.transfer_index import subscript
from torch_compile_lint.program.transfer_kinds import (
    at_least_float,
    broadcast,
    build,
    promote,
    source_of,
    weakest,
)
from torch_compile_lint.program.values import (
    BOOL,
    FALSE,
    NEVER,
    TEXT,
    TRUE,
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

__all__ = ["binary", "compare", "iterate", "subscript", "truth", "unary"]

_FOLD: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
_BIG = 1 << 40
_STRENGTH = ("python", "shape", "random", "tensor")  # sources of numbers: the later one wins
_REASONS = {op: f"`{op}` with a tensor gives a tensor" for op in (*_FOLD, "@")}
# Objects whose class is known to define no arithmetic of its own with tensors.
_INERT = (NoneAtom, Function, ClassRef, Api, PyModule, Partial)


# ---------------------------------------------------------------- arithmetic


def binary(op: str, left: Value, right: Value) -> Value:
    """The value of ``left op right``."""
    if len(left.atoms) == 1 and len(right.atoms) == 1:
        out = _binary(op, left.atoms[0], right.atoms[0], left, right)
        return UNKNOWN if out is None else out
    results = []
    for a in left.atoms:
        for b in right.atoms:
            result = _binary(op, a, b, left, right)
            if result is not None:
                results.append(result)
    out = join_all(results)
    return out if out.atoms else UNKNOWN


def _binary(op: str, a: Atom, b: Atom, left: Value, right: Value) -> Value | None:
    """One pair of atoms; None where Python raises."""
    ta, tb = type(a), type(b)
    if ta is Tensor or tb is Tensor:
        return _tensor_binary(op, a, b, left, right)
    if ta is Number and tb is Number:
        return _number_binary(op, a, b, left, right)  # type: ignore[arg-type]
    if ta is Unknown or tb is Unknown:
        return _with_unknown(op, a, b, left, right)
    if ta is Array or tb is Array:
        if ta in _INERT or tb in _INERT:
            return None
        return build(Array(), left if ta is Array else right)
    if ta is Text:
        return _text_binary(op, a, b)  # type: ignore[arg-type]
    if ta is Container or tb is Container or ta is Size or tb is Size:
        return _sequence_binary(op, a, b, left, right)
    if ta is Instance or tb is Instance:
        return UNKNOWN
    if ta is Opaque or tb is Opaque:
        # A number or flag from a config object stays one: arithmetic makes no tensor of it.
        return Value((a if ta is Opaque else b,), weakest(left, right))
    if op == "|" and ta in (ClassRef, Api, NoneAtom) and tb in (ClassRef, Api, NoneAtom):
        return Value((Opaque("union type"),))
    return None


def _tensor_binary(op: str, a: Atom, b: Atom, left: Value, right: Value) -> Value | None:
    other, value, other_value = (b, left, right) if type(a) is Tensor else (a, right, left)
    mine = a if type(a) is Tensor else b
    assert type(mine) is Tensor
    kind = type(other)
    if kind in _INERT:
        return None
    if kind is Text:
        # '%s' % tensor formats; every other operator raises.
        return TEXT if op == "%" and type(a) is Text else None
    if kind is Container:
        if op == "+" or op == "*":
            return None
        if op == "%" and type(a) is Text:
            return TEXT
    dtype: str | None = None
    rank: int | None = None
    if kind is Tensor:
        assert type(other) is Tensor
        dtype = promote(mine.dtype, other.dtype)
        rank = _matmul_rank(a, b) if op == "@" else broadcast((mine.rank, other.rank))
    elif kind is Number:
        assert type(other) is Number
        dtype = promote(mine.dtype, other.type)
        if dtype is None and mine.dtype == "float" and other.type is None:
            dtype = "float"
        rank = mine.rank
    if op == "/":
        dtype = at_least_float(dtype)
    # Whatever the other operand is, the tensor's own operator makes a tensor of it; of two
    # tensors the surer one is reason enough.
    confidence = value.confidence
    if kind is Tensor and other_value.confidence > confidence:
        confidence = other_value.confidence
    return Value(
        (Tensor(dtype, rank),), confidence, Origin(f"`{op}` with a tensor gives a tensor", value.origin)
    )


def _matmul_rank(a: Atom, b: Atom) -> int | None:
    left = a.rank if type(a) is Tensor else None
    right = b.rank if type(b) is Tensor else None
    if left is None or right is None or left == 0 or right == 0:
        return None
    if left == 1 and right == 1:
        return 0
    if left == 1:
        return right - 1
    return left - 1 if right == 1 else max(left, right)


def _number_binary(op: str, a: Number, b: Number, left: Value, right: Value) -> Value | None:
    if a.const is not None and b.const is not None and op in _FOLD and _small(op, a.const, b.const):
        try:
            folded = _FOLD[op](a.const, b.const)
        except (ArithmeticError, TypeError, ValueError):
            return None
        if isinstance(folded, (bool, int, float)):
            source = a.source if a.source != "python" else b.source
            return Value((Number(type(folded).__name__, source, folded),), weakest(left, right))
    if op == "|" and a.type == b.type == "bool" and True in (a.const, b.const):
        return TRUE
    source = max(a.source, b.source, key=_STRENGTH.index)
    return Value((Number(_number_class(op, a.type, b.type), source),), weakest(left, right))


def _small(op: str, a: float, b: float) -> bool:
    """Refuses to compute what may be huge."""
    if op == "**":
        return abs(a) <= 4096 and abs(b) <= 16
    if op == "<<":
        return abs(a) <= _BIG and 0 <= b <= 64
    return abs(a) <= _BIG and abs(b) <= _BIG


def _number_class(op: str, a: str | None, b: str | None) -> str | None:
    cls = promote(a, b)
    if op == "/":
        return at_least_float(cls)
    if op in ("&", "|", "^"):
        return cls
    if op == "**" and cls == "int":
        return None  # 2 ** -1 is a float
    return "int" if cls == "bool" else cls


def _with_unknown(op: str, a: Atom, b: Atom, left: Value, right: Value) -> Value | None:
    if type(a) is Text and op == "%":
        return TEXT
    known = a if type(b) is Unknown else b
    if type(known) is Text and op == "+":
        return TEXT
    if type(known) is Container and op == "+" and known.kind in ("list", "tuple"):
        return Value((Container(known.kind, None, UNKNOWN),), weakest(left, right))
    return UNKNOWN


def _text_binary(op: str, a: Text, b: Atom) -> Value | None:
    if op == "%":
        return TEXT
    if op == "+" and type(b) is Text:
        return Value((Text(a.const + b.const),)) if a.const is not None and b.const is not None else TEXT
    if op == "*" and type(b) in (Number, Opaque):
        return TEXT
    return None if op != "+" or type(b) is not Opaque else TEXT


def _sequence_binary(op: str, a: Atom, b: Atom, left: Value, right: Value) -> Value | None:
    for one, two in ((a, b), (b, a)):
        if op == "*" and type(two) in (Number, Opaque) and type(one) in (Container, Size):
            return _repeat(one, two)
    if op == "+" and type(a) in (Container, Size) and type(b) in (Container, Size):
        return _concat(a, b, left, right)
    if type(a) is Container and type(b) is Container:
        if op in ("|", "&", "-", "^") and a.kind == b.kind and a.kind in ("set", "dict"):
            if (
                op == "|"
                and a.keys is not None
                and b.keys is not None
                and a.items is not None
                and b.items is not None
            ):
                table = dict(zip(a.keys, a.items, strict=False))
                table.update(zip(b.keys, b.items, strict=False))
                return Value((Container(a.kind, tuple(table.values()), None, tuple(table)),))
            return Value((Container(a.kind, None, join(element_of(a), element_of(b))),))
        return None
    if type(a) is Text and op == "%":
        return TEXT
    return UNKNOWN if Opaque in (type(a), type(b)) or Instance in (type(a), type(b)) else None


def _dict_union(a: Container, b: Container) -> Value:
    table = dict(zip(a.keys or (), a.items or (), strict=False))
    table.update(zip(b.keys or (), b.items or (), strict=False))
    return Value((Container(a.kind, tuple(table.values()), None, tuple(table)),))


def _repeat(atom: Atom, times: Atom) -> Value | None:
    if type(atom) is Size:
        return Value((Size(),))
    assert type(atom) is Container
    count = times.const if type(times) is Number else None
    if atom.items is not None and isinstance(count, int) and 0 <= count * len(atom.items) <= 32:
        return Value((Container(atom.kind, atom.items * count),))
    return Value((Container(atom.kind, None, element_of(atom)),))


def _concat(a: Atom, b: Atom, left: Value, right: Value) -> Value | None:
    if type(a) is Size and type(b) is Size:
        return Value((Size(a.rank + b.rank if a.rank is not None and b.rank is not None else None),))
    if type(a) is Container and type(b) is Container:
        if a.kind != b.kind or a.kind not in ("list", "tuple"):
            return None
        if a.items is not None and b.items is not None and len(a.items) + len(b.items) <= 32:
            return Value((Container(a.kind, a.items + b.items),), weakest(left, right))
        return Value((Container(a.kind, None, join(element_of(a), element_of(b))),), weakest(left, right))
    # torch.Size + tuple is a torch.Size, tuple + torch.Size a tuple; both hold sizes only
    # when the tuple does.
    held = a if type(a) is Container else b
    assert type(held) is Container
    if held.kind != "tuple":
        return None
    return Value((Container("tuple", None, join(element_of(held), Value((Number("int", "shape"),)))),))


def unary(op: str, value: Value) -> Value:
    """The value of ``op value`` (``not``, ``-``, ``+``, ``~``)."""
    if op == "not":
        known = truth(value)
        if known is not None:
            return FALSE if known else TRUE
        source = source_of(value)
        return Value((Number("bool", source),)) if source != "python" else BOOL
    out = NEVER
    for atom in value.atoms:
        result = _unary(op, atom, value)
        if result is not None:
            out = join(out, result)
    return out if out.atoms else UNKNOWN


def _unary(op: str, atom: Atom, value: Value) -> Value | None:
    kind = type(atom)
    if kind is Tensor:
        return value if len(value.atoms) == 1 else Value((atom,), value.confidence, value.origin)
    if type(atom) is Number:
        if atom.const is not None:
            folded = (
                -atom.const
                if op == "-"
                else +atom.const
                if op == "+"
                else ~int(atom.const)
                if not isinstance(atom.const, float)
                else None
            )
            if folded is not None:
                return Value((Number(type(folded).__name__, atom.source, folded),), value.confidence)
        return Value((Number("int" if atom.type == "bool" else atom.type, atom.source),), value.confidence)
    if kind in (Array, Opaque):
        return Value((atom,), value.confidence)
    if kind in (Unknown, Instance):
        return UNKNOWN
    return None


# ---------------------------------------------------------------- truth and iteration


def truth(value: Value) -> bool | None:
    """What ``bool(value)`` is, where the kinds alone decide it."""
    out: bool | None = None
    for atom in value.atoms:
        one = _truth(atom)
        if one is None or (out is not None and out != one):
            return None
        out = one
    return out


def _truth(atom: Atom) -> bool | None:
    kind = type(atom)
    if kind is NoneAtom:
        return False
    if type(atom) is Number or type(atom) is Text:
        return None if atom.const is None else bool(atom.const)
    if type(atom) is Container:
        if atom.kind == "iterator":
            return True
        return len(atom.items) > 0 if atom.items is not None else None
    if type(atom) is Size:
        return None if atom.rank is None else atom.rank > 0
    if kind in (Function, ClassRef, Api, PyModule, Partial):
        return True
    if type(atom) is Instance and atom.module:
        if atom.items is not None:
            held = atom.items.atoms[0] if len(atom.items.atoms) == 1 else None
            return _truth(held) if type(held) is Container else None
        # An nn.Module defines neither __bool__ nor __len__ unless it is a container.
        known = atom.symbol.startswith("torch.nn.") and not atom.symbol.endswith(
            ("List", "Dict", "Sequential")
        )
        return True if known else None
    return None


def iterate(value: Value) -> Value:
    """What one step of ``for item in value`` gives."""
    if len(value.atoms) == 1:
        out = _iterate(value.atoms[0], value)
        return UNKNOWN if out is None else out
    results = [r for r in (_iterate(a, value) for a in value.atoms) if r is not None]
    out = join_all(results)
    return out if out.atoms else UNKNOWN


def _iterate(atom: Atom, value: Value) -> Value | None:
    kind = type(atom)
    if type(atom) is Container:
        if atom.kind == "dict":
            return UNKNOWN if atom.keys is None else join_all([constant(k) for k in atom.keys])
        return element_of(atom)
    if type(atom) is Tensor:
        if atom.rank == 0:
            return None
        rank = None if atom.rank is None else atom.rank - 1
        origin = Origin("iterating over a tensor gives tensors", value.origin)
        return Value((Tensor(atom.dtype, rank),), value.confidence, origin)
    if kind is Size:
        return Value((Number("int", "shape"),))
    if kind is Text:
        return TEXT
    if kind is Array:
        return Value((Array(),))
    if type(atom) is Instance:
        if atom.items is None:
            return UNKNOWN
        return TEXT if atom.symbol.endswith("ModuleDict") else iterate(atom.items)
    if kind in (Unknown, Opaque, Api, ClassRef, Partial):
        return UNKNOWN
    return None

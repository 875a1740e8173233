"""``value[index]``: tensors by every kind of index, sizes, containers, strings, modules.

A slice stands as ``Container('slice', (lower, upper, step))`` with None where a part is
absent; several indices are one tuple container; ``...`` is ``Opaque('ellipsis')``.
"""

from __future__ import annotations

from torch_compile_lint.model import Confidence
from torch_compile_lint.program.lattice import element_of, join_all
from torch_compile_lint.program.transfer_kinds import MASKS, SLICE, int_of, is_none, tensor_atoms
from torch_compile_lint.program.values import (
    SHAPE_INT,
    TEXT,
    UNKNOWN,
    Api,
    Array,
    Atom,
    ClassRef,
    Container,
    Instance,
    NoneAtom,
    Number,
    Opaque,
    Origin,
    Size,
    Tensor,
    Text,
    Value,
    constant_of,
    tensor,
)

_SELECTED = tensor(confidence=Confidence.LIKELY, origin=Origin("only a tensor is indexed by a bool tensor"))


def subscript(value: Value, index: Value) -> Value:
    """The value of ``value[index]``."""
    if len(value.atoms) == 1:
        out = _subscript(value.atoms[0], value, index)
        return UNKNOWN if out is None else out
    results = [r for r in (_subscript(a, value, index) for a in value.atoms) if r is not None]
    out = join_all(results)
    return out if out.atoms else UNKNOWN


def _subscript(atom: Atom, value: Value, index: Value) -> Value | None:
    """One atom of the base; None where Python raises."""
    kind = type(atom)
    if type(atom) is Tensor:
        rank = None if atom.rank is None else _indexed_rank(atom.rank, index)
        origin = Origin("indexing a tensor gives a tensor", value.origin)
        return Value(tensor_atoms(atom.dtype, rank), value.confidence, origin)
    if type(atom) is Size:
        return _of_size(atom, index)
    if type(atom) is Container:
        return _of_container(atom, value, index)
    if type(atom) is Instance:
        return _of_instance(atom, index)
    if kind is Text:
        return TEXT
    if kind is Array:
        return Value((Array(),), value.confidence)
    if kind in (ClassRef, Api):
        # list[int], Optional[Tensor], Callable[...]: a type stays a type.
        return Value((atom,))
    if type(atom) is Opaque and atom.label == "config":
        return Value((atom,))
    if kind is NoneAtom or kind is Number:
        return None
    return _SELECTED if is_mask(index) else UNKNOWN


def is_mask(index: Value) -> bool:
    """True for a bool tensor with dimensions: only a tensor or array can be indexed by it."""
    atom = index.atoms[0] if len(index.atoms) == 1 else None
    return type(atom) is Tensor and atom.dtype in MASKS and atom.rank != 0


def is_slice(index: Value) -> bool:
    """True when the index is one slice."""
    if len(index.atoms) != 1:
        return False
    atom = index.atoms[0]
    return (type(atom) is Container and atom.kind == SLICE) or (type(atom) is Opaque and atom.label == SLICE)


def _indexed_rank(rank: int, index: Value) -> int | None:
    """The rank of a tensor of this rank indexed; None when unknown."""
    parts: tuple[Value, ...] = (index,)
    if len(index.atoms) == 1 and type(index.atoms[0]) is Container and index.atoms[0].kind == "tuple":
        held = index.atoms[0].items
        if held is None:
            return None
        parts = held
    tensors: list[int] = []
    for part in parts:
        if len(part.atoms) != 1:
            return None
        atom = part.atoms[0]
        kind = type(atom)
        if kind is NoneAtom:
            rank += 1
        elif type(atom) is Number:
            if atom.type == "bool":
                return None
            rank -= 1
        elif is_slice(part) or (type(atom) is Opaque and atom.label == "ellipsis"):
            continue
        elif type(atom) is Tensor and atom.rank is not None and atom.dtype is not None:
            # A mask of rank k replaces k dimensions by one, an index tensor one by its own.
            consumed = atom.rank if atom.dtype in MASKS else 1
            rank -= consumed
            tensors.append(1 if atom.dtype in MASKS else atom.rank)
        else:
            return None
    rank += max(tensors, default=0)
    return rank if rank >= 0 else None


def _of_size(atom: Size, index: Value) -> Value:
    if not is_slice(index):
        return SHAPE_INT
    rank = atom.rank
    bounds = _bounds(index)
    if rank is None or bounds is None:
        return Value((Size(_sliced_from_front(bounds)),))
    return Value((Size(len(range(rank)[bounds])),))


def _sliced_from_front(bounds: slice | None) -> int | None:
    """``shape[-2:]`` and ``shape[:-1]``: the first is of rank 2 whatever the whole is."""
    if bounds is None or bounds.step not in (None, 1):
        return None
    if bounds.start is not None and bounds.start < 0 and bounds.stop is None:
        return -int(bounds.start)
    if bounds.start in (None, 0) and bounds.stop is not None and bounds.stop > 0:
        return int(bounds.stop)
    return None


def _bounds(index: Value) -> slice | None:
    """The slice as constants, or None."""
    atom = index.atoms[0]
    if type(atom) is not Container or atom.items is None:
        return None
    parts: list[int | None] = []
    for item in atom.items:
        number = int_of(item)
        if number is None and not is_none(item):
            return None
        parts.append(number)
    if len(parts) != 3 or parts[2] == 0:
        return None
    return slice(*parts)


def _of_container(atom: Container, value: Value, index: Value) -> Value | None:
    if atom.kind == "dict":
        return _of_dict(atom, index)
    if atom.kind in ("set", "iterator"):
        return None
    if is_slice(index):
        if atom.items is None:
            return Value((atom,), value.confidence, value.origin)
        bounds = _bounds(index)
        if bounds is None:
            return Value((Container(atom.kind, None, element_of(atom)),), value.confidence, value.origin)
        return Value((Container(atom.kind, atom.items[bounds]),), value.confidence, value.origin)
    position = int_of(index)
    if atom.items is not None and position is not None:
        return atom.items[position] if -len(atom.items) <= position < len(atom.items) else None
    out = element_of(atom)
    return out if out.atoms else UNKNOWN


def _of_dict(atom: Container, index: Value) -> Value:
    if atom.items is not None and atom.keys is not None:
        key = constant_of(index)
        if key is not None:
            for name, item in zip(atom.keys, atom.items, strict=False):
                if name == key[0] and type(name) is type(key[0]):
                    return item
            # Not among the known keys: it was put there by something unseen.
            return UNKNOWN
    out = element_of(atom)
    return out if out.atoms else UNKNOWN


def _of_instance(atom: Instance, index: Value) -> Value:
    if atom.items is None:
        return UNKNOWN
    if is_slice(index):
        held = subscript(atom.items, index)
        return Value((Instance(atom.symbol, atom.module, held),))
    return subscript(atom.items, index)


__all__ = ["is_slice", "subscript"]

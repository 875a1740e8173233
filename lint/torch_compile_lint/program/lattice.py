"""Joining, widening and abstracting values: the operations that make fixpoints end.

The lattice is finite by construction: a union holds at most ``MAX_ATOMS`` atoms, one per
kind of thing where two would say no more than their merger (one Tensor, one Number per type
and source, one Container per kind and length, one Instance per class), containers nest at
most ``MAX_DEPTH`` deep and keep exact items up to ``MAX_ITEMS``.

``join(a, b)`` returns ``a`` itself when ``b`` adds nothing: callers test for change by identity.
"""

from __future__ import annotations

from typing import Any

from torch_compile_lint.model import Confidence
from torch_compile_lint.program.values import (
    NEVER,
    UNKNOWN,
    Api,
    Atom,
    ClassRef,
    Container,
    Function,
    Instance,
    Number,
    Opaque,
    Partial,
    PyModule,
    Size,
    Tensor,
    Text,
    Unknown,
    Value,
)

MAX_ATOMS = 10
MAX_TEXTS = 6
MAX_DEPTH = 5
MAX_ITEMS = 32

_RANK = {
    name: rank
    for rank, name in enumerate(
        (
            "Tensor", "Number", "Text", "NoneAtom", "Size", "Array", "Container", "Function",
            "ClassRef", "Instance", "Api", "PyModule", "Partial", "Opaque", "Unknown",
        )
    )
}  # fmt: skip
_CONTAINER = _RANK["Container"]


def slot(atom: Atom) -> tuple[object, ...]:
    """What two atoms must share to be merged into one, and what atoms are sorted by."""
    name = type(atom).__name__
    rank = _RANK[name]
    if type(atom) is Number:
        return (rank, atom.type or "", atom.source)
    if type(atom) is Text:
        return (rank, "" if atom.const is None else "=" + atom.const)
    if type(atom) is Container:
        if atom.kind == "dict":
            return (rank, "dict", 0)
        return (rank, atom.kind, -1 if atom.items is None else len(atom.items))
    if type(atom) is Function:
        return (
            rank,
            atom.path,
            atom.qualname,
            atom.closure,
            "" if atom.bound is None else signature(atom.bound),
        )
    if type(atom) in (Instance, ClassRef):
        return (rank, atom.symbol)  # type: ignore[union-attr]
    if type(atom) is Api:
        return (rank, atom.symbol, "" if atom.bound is None else signature(atom.bound))
    if type(atom) is PyModule:
        return (rank, atom.name)
    if type(atom) is Opaque:
        return (rank, atom.label)
    if type(atom) is Partial:
        return (rank, signature(Value((atom,))))
    return (rank,)


def signature(value: Value) -> str:
    """A short text that is equal for equal values, whatever run they come from."""
    return "|".join(_signature(a) for a in value.atoms) or "never"


def _signature(atom: Atom) -> str:
    if type(atom) is Partial:
        parts = [signature(atom.func), *(signature(a) for a in atom.args)]
        parts += [f"{k}={signature(v)}" for k, v in atom.keywords]
        return f"partial({','.join(parts)})"
    if type(atom) is Container:
        if atom.items is not None:
            inner = ",".join(signature(i) for i in atom.items)
            return f"{atom.kind}[{atom.keys!r}:{inner}]" if atom.keys is not None else f"{atom.kind}[{inner}]"
        return f"{atom.kind}[{'' if atom.element is None else signature(atom.element)}*]"
    if type(atom) is Instance:
        return f"{atom.symbol}()" + ("" if atom.items is None else signature(atom.items))
    if type(atom) is Function:
        bound = "" if atom.bound is None else f"<{signature(atom.bound)}>"
        return f"{atom.path}:{atom.qualname}{bound}#{atom.closure}"
    if type(atom) is Api:
        return atom.symbol + ("" if atom.bound is None else f"<{signature(atom.bound)}>")
    return repr(atom)


# ---------------------------------------------------------------- join


def join(a: Value, b: Value) -> Value:
    """The least value above both (``a`` itself where ``b`` adds nothing)."""
    if a is b or not b.atoms:
        return a
    if not a.atoms:
        return b
    confidence = a.confidence if a.confidence <= b.confidence else b.confidence
    if a.atoms == b.atoms:
        return a if confidence == a.confidence else Value(a.atoms, confidence, a.origin or b.origin)
    if len(a.atoms) == 1 and len(b.atoms) == 1:
        first, second = a.atoms[0], b.atoms[0]
        if type(first) is Tensor and type(second) is Tensor:
            merged = _merge(first, second)
            if merged == first:
                return a if confidence == a.confidence else Value(a.atoms, confidence, a.origin or b.origin)
            return Value((merged,), confidence, a.origin or b.origin)
    if not _new_atoms(a.atoms, b.atoms):
        return a if confidence == a.confidence else Value(a.atoms, confidence, a.origin or b.origin)
    atoms = merge_atoms(a.atoms + b.atoms)
    if atoms == a.atoms:
        return a if confidence == a.confidence else Value(a.atoms, confidence, a.origin or b.origin)
    return Value(atoms, confidence, _better_origin(a, b))


def _new_atoms(old: tuple[Atom, ...], new: tuple[Atom, ...]) -> bool:
    return any(atom not in old for atom in new)


def _better_origin(a: Value, b: Value) -> Any:
    # The reason worth telling is why it may be a tensor.
    for value in (a, b):
        if value.origin is not None and any(type(x) is Tensor for x in value.atoms):
            return value.origin
    return a.origin or b.origin


def join_all(values: list[Value] | tuple[Value, ...]) -> Value:
    """The join of all; NEVER for none."""
    out = NEVER
    for value in values:
        out = join(out, value)
    return out


def union(*atoms: Atom, confidence: Confidence = Confidence.PROVED) -> Value:
    """A value of several atoms."""
    return Value(merge_atoms(atoms), confidence)


def merge_atoms(atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
    """Sorted, merged per slot, capped."""
    table: dict[tuple[object, ...], Atom] = {}
    for atom in atoms:
        key = slot(atom)
        old = table.get(key)
        table[key] = atom if old is None else _merge(old, atom)
    held = [k for k in table if k[0] == _CONTAINER]
    if len(held) > 1:
        _absorb(table, held)
    texts = [k for k in table if k[0] == 2]
    if len(texts) > 1 and ((2, "") in table or len(texts) > MAX_TEXTS):
        for key in texts:
            del table[key]
        table[(2, "")] = Text()
    if len(table) > MAX_ATOMS:
        return _collapse(table)
    if len(table) == 1:
        return tuple(table.values())
    return tuple(table[k] for k in sorted(table, key=_order))


def _absorb(table: dict[tuple[object, ...], Atom], keys: list[tuple[object, ...]]) -> None:
    """A container of any length takes in those of known lengths of its kind."""
    for key in keys:
        anything = (_CONTAINER, key[1], -1)
        if key != anything and anything in table:
            table[anything] = _merge(table[anything], table.pop(key))


def _order(key: tuple[object, ...]) -> tuple[Any, ...]:
    return (key[0], *(str(k) for k in key[1:]))


def _collapse(table: dict[tuple[object, ...], Atom]) -> tuple[Atom, ...]:
    """Too many alternatives: keep the tensor and None, call modules a Module, the rest unknown."""
    kept: dict[tuple[object, ...], Atom] = {}
    for key, atom in table.items():
        if type(atom) is Instance and atom.module:
            kept[(9, "torch.nn.Module")] = Instance("torch.nn.Module", True)
        elif key[0] in (0, 3):
            kept[key] = atom
        else:
            kept[(14,)] = Unknown()
    return tuple(kept[k] for k in sorted(kept, key=_order))


def _merge(a: Atom, b: Atom) -> Atom:
    """One atom for two of the same slot."""
    if a == b:
        return a
    if type(a) is Tensor and type(b) is Tensor:
        return Tensor(a.dtype if a.dtype == b.dtype else None, a.rank if a.rank == b.rank else None)
    if type(a) is Number and type(b) is Number:
        return Number(a.type, a.source)
    if type(a) is Size:
        return Size()
    if type(a) is Container and type(b) is Container:
        return _merge_containers(a, b)
    if type(a) is Instance and type(b) is Instance:
        items = a.items if b.items is None else b.items if a.items is None else join(a.items, b.items)
        return Instance(a.symbol, a.module or b.module, items)
    return a


def _merge_containers(a: Container, b: Container) -> Container:
    if a.items is None or b.items is None:
        return Container(a.kind, None, join(element_of(a), element_of(b)))
    if a.keys == b.keys:
        items = tuple(join(x, y) for x, y in zip(a.items, b.items, strict=True))
        return Container(a.kind, items, None, a.keys)
    # Dicts with different keys: what is missing on one side is what the other side has.
    both = dict(zip(a.keys or (), a.items, strict=False))
    for key, value in zip(b.keys or (), b.items, strict=False):
        both[key] = join(both.get(key, NEVER), value)
    return Container(a.kind, tuple(both.values()), None, tuple(both))


# ---------------------------------------------------------------- containers


def element_of(container: Container) -> Value:
    """The join of a container's elements; NEVER when it is known to be empty."""
    if container.items is not None:
        return join_all(container.items)
    return UNKNOWN if container.element is None else container.element


def container(
    kind: str,
    items: tuple[Value, ...] | None = None,
    element: Value | None = None,
    keys: tuple[object, ...] | None = None,
) -> Value:
    """A container value, cut to MAX_ITEMS and MAX_DEPTH."""
    if items is not None:
        if len(items) > MAX_ITEMS:
            element = join_all(items)
            items = keys = None
        elif any(_depth(i) >= MAX_DEPTH for i in items):
            items = tuple(UNKNOWN if _depth(i) >= MAX_DEPTH else i for i in items)
    elif element is not None and _depth(element) >= MAX_DEPTH:
        element = UNKNOWN
    return Value((Container(kind, items, element, keys),))


def _depth(value: Value) -> int:
    deepest = 0
    for atom in value.atoms:
        if type(atom) is Container:
            inner = atom.items if atom.items is not None else (atom.element,) if atom.element else ()
            deepest = max(deepest, 1 + max((_depth(i) for i in inner), default=0))
        elif type(atom) is Partial:
            inner = (atom.func, *atom.args, *(v for _, v in atom.keywords))
            deepest = max(deepest, 1 + max(_depth(i) for i in inner))
        elif type(atom) in (Function, Api):
            bound: Value | None = atom.bound  # type: ignore[union-attr]
            if bound is not None:
                deepest = max(deepest, 1 + _depth(bound))
        elif type(atom) is Instance and atom.items is not None:
            deepest = max(deepest, _depth(atom.items))
    return deepest


# ---------------------------------------------------------------- widening and abstraction


def widen(value: Value) -> Value:
    """Lose exact lengths and constants, so that a loop's head stops growing."""
    atoms = merge_atoms(tuple(_widen(a) for a in value.atoms))
    return value if atoms == value.atoms else Value(atoms, value.confidence, value.origin)


def _widen(atom: Atom) -> Atom:
    if type(atom) is Container and atom.items is not None and atom.keys is None and atom.kind != "tuple":
        return Container(atom.kind, None, element_of(atom))
    if type(atom) is Container and atom.items is not None:
        return Container(atom.kind, tuple(widen(i) for i in atom.items), None, atom.keys)
    if type(atom) is Number and atom.const is not None:
        return Number(atom.type, atom.source)
    if type(atom) is Text:
        return Text()
    return atom


def abstract(value: Value) -> Value:
    """What a call's context keeps of an argument: numbers lose their value, booleans keep it."""
    for atom in value.atoms:
        if (type(atom) is Number and atom.const is not None and atom.type != "bool") or type(
            atom
        ) is Container:
            break
    else:
        return value
    atoms = merge_atoms(tuple(_abstract(a) for a in value.atoms))
    return value if atoms == value.atoms else Value(atoms, value.confidence, value.origin)


def _abstract(atom: Atom) -> Atom:
    if type(atom) is Number and atom.type != "bool" and atom.const is not None:
        return Number(atom.type, atom.source)
    if type(atom) is Container:
        if atom.items is not None:
            return Container(atom.kind, tuple(abstract(i) for i in atom.items), None, atom.keys)
        if atom.element is not None:
            return Container(atom.kind, None, abstract(atom.element), atom.keys)
    return atom


def coarse(value: Value) -> Value:
    """What is kept of an argument of a function that was called in too many contexts."""
    atoms = merge_atoms(tuple(_coarse(a) for a in value.atoms))
    return Value(atoms, value.confidence, value.origin)


def _coarse(atom: Atom) -> Atom:
    if type(atom) is Tensor:
        return Tensor(atom.dtype)
    if type(atom) is Number:
        return Number(atom.type, atom.source)
    if type(atom) is Text:
        return Text()
    if type(atom) is Container:
        element = element_of(atom)
        return Container(
            atom.kind, None, coarse(element) if _depth(element) == 0 and element.atoms else UNKNOWN
        )
    if type(atom) in (Partial, Function, Api, ClassRef):
        return Unknown()
    return atom


def without_constants(value: Value) -> Value:
    """Numbers and strings without their value: what a caller or a user may set otherwise."""
    atoms = merge_atoms(tuple(_without_constant(a) for a in value.atoms))
    return value if atoms == value.atoms else Value(atoms, value.confidence, value.origin)


def _without_constant(atom: Atom) -> Atom:
    if type(atom) is Number and atom.const is not None:
        return Number(atom.type, atom.source)
    if type(atom) is Text and atom.const is not None:
        return Text()
    if type(atom) is Container:
        items = None if atom.items is None else tuple(without_constants(i) for i in atom.items)
        element = None if atom.element is None else without_constants(atom.element)
        return Container(atom.kind, items, element, atom.keys)
    return atom

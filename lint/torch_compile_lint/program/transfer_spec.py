"""Result specifications of the API tables, applied to the arguments of one call."""

from __future__ import annotations

import functools
from collections.abc import Callable

from torch_compile_lint.model import Confidence
from torch_compile_lint.program.lattice import element_of, join
from torch_compile_lint.program.transfer_kinds import (
    Keywords,
    at_least_float,
    bool_of,
    class_of,
    dtype_class,
    is_dtype,
    is_none,
    promote,
    tensor_atoms,
)
from torch_compile_lint.program.values import (
    UNKNOWN,
    Array,
    Atom,
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
)
from torch_compile_lint.records import dataclass

_CLASS = {"b": "bool", "y": "byte", "i": "int", "f": "float", "c": "complex"}
_NUMBER = {"B": "bool", "I": "int", "F": "float", "X": "complex", "P": None}
_SOURCE = {"": "python", "s": "shape", "t": "tensor"}
# Keywords whose number is an operand, not a setting (worker/sync_ops.py measures with the same).
_OPERAND_KEYWORDS = ("other", "min", "max", "value", "exponent", "weight")
_BRACKETS = {"(": ("tuple", ")"), "[": ("list", "]"), "{": ("dict", "}")}


@dataclass(frozen=True, slots=True)
class Spec:
    """One parsed alternative. ``kind`` is its letter or bracket."""

    kind: str
    dtype: str = ""
    rank: str = ""
    items: tuple[tuple[Spec, ...], ...] = ()
    repeated: bool = False
    label: str = ""


@functools.cache
def parse(text: str) -> tuple[Spec, ...]:
    """The alternatives of a specification."""
    return tuple(_parse_one(part) for part in split_top(text, "|"))


def split_top(text: str, separator: str) -> list[str]:
    """The text split at separators outside brackets."""
    parts, depth, current = [], 0, ""
    for char in text:
        depth += char in "([{<"
        depth -= char in ")]}>"
        if char == separator and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += char
    return [*parts, current]


def _parse_one(text: str) -> Spec:
    head = text[:1]
    if head in _BRACKETS:
        body = text[1:-1]
        if body.endswith("*"):
            return Spec(head, items=(parse(body[:-1]),), repeated=True)
        return Spec(head, items=tuple(parse(p) for p in split_top(body, ",")) if body else ())
    if head == "T":
        _, _, rest = text.partition(":")
        dtype, _, rank = rest.partition(":")
        return Spec("T", dtype, rank)
    if head == "<":
        return Spec("<", label=text[1:-1])
    if head == "!":
        return Spec("!", label=text[1:])
    return Spec(head, label=text[1:])


# ---------------------------------------------------------------- evaluation


class Arguments:
    """The arguments of a call, with what the rules ask of them computed once."""

    __slots__ = ("args", "keywords", "tensors")

    def __init__(self, args: tuple[Value, ...], keywords: Keywords) -> None:
        self.args = args
        self.keywords = keywords
        self.tensors: list[Value] = []
        for value in (*args, *keywords.values()):
            _collect(value, self.tensors)

    def first(self) -> Value | None:
        """The first argument, when it is (or holds) a tensor or may be one."""
        if not self.args:
            return self.tensors[0] if self.tensors else None
        head: list[Value] = []
        _collect(self.args[0], head)
        return head[0] if head else None


def _collect(value: Value, into: list[Value]) -> None:
    """Tensors, possible tensors and what a list argument holds; numbers and flags are left out."""
    for atom in value.atoms:
        kind = type(atom)
        if kind in (Number, Text, NoneAtom, Size, Opaque):
            continue
        if type(atom) is Container:
            for item in atom.items if atom.items is not None else (element_of(atom),):
                _collect(item, into)
        else:
            into.append(value)
            return


def evaluate(text: str, args: tuple[Value, ...], keywords: Keywords, reason: str | None = None) -> Value:
    """What a call of an API with this specification gives."""
    specs = parse(text)
    if len(specs) == 1 and specs[0].kind not in "T([{":
        return simple(specs[0])
    given = Arguments(args, keywords)
    parent = next((t.origin for t in given.tensors if t.origin is not None), None)
    origin = Origin(reason, parent) if reason is not None else parent
    out: Value | None = None
    for spec in specs:
        value = _build(spec, given, origin)
        out = value if out is None else join(out, value)
    return out if out is not None else UNKNOWN


@functools.cache
def direct_tensor(text: str) -> Callable[[tuple[Value, ...]], tuple[Atom, ...] | None] | None:
    """The result of calls with one plain tensor argument and no keywords, or None for the long way.

    The most frequent calls (relu, layers, `.contiguous()`) need nothing else.
    """
    specs = parse(text)
    if len(specs) != 1 or specs[0].kind != "T":
        return None
    dtype_rule, rank_rule = specs[0].dtype, specs[0].rank
    constant_class = _CLASS.get(dtype_rule)
    constant_rank = int(rank_rule) if rank_rule.isdigit() else None
    if (constant_class is None and dtype_rule not in ("", "=", "~", "^=", "^~")) or (
        constant_rank is None and rank_rule not in ("", "=", "*")
    ):
        return None
    floats = dtype_rule.startswith("^")
    several = dtype_rule.endswith("~") or rank_rule == "*"

    def direct(args: tuple[Value, ...]) -> tuple[Atom, ...] | None:
        if several and len(args) != 1:
            return None
        atoms = args[0].atoms
        atom = atoms[0] if len(atoms) == 1 else None
        if type(atom) is not Tensor or any(is_dtype(a) for a in args[1:]):
            return None
        cls = constant_class
        if cls is None and dtype_rule:
            cls = at_least_float(atom.dtype) if floats else atom.dtype
        rank = constant_rank
        if rank is None and rank_rule:
            rank = atom.rank
        return tensor_atoms(cls, rank)

    return direct


def simple(spec: Spec) -> Value:
    """The value of a specification that does not depend on arguments."""
    return Value((_simple_atom(spec),)) if spec.kind != "?" else UNKNOWN


def _simple_atom(spec: Spec) -> Atom:
    kind = spec.kind
    if kind in _NUMBER:
        return Number(_NUMBER[kind], _SOURCE[spec.label])
    if kind == "N":
        return NoneAtom()
    if kind == "S":
        return Text()
    if kind == "Z":
        return Size()
    if kind == "A":
        return Array()
    if kind == "<":
        return Instance(spec.label.removeprefix("module "), spec.label.startswith("module "))
    labels = {"Y": "torch.dtype", "V": "torch.device", "L": "torch.layout"}
    return Opaque(labels.get(kind, spec.label))


def _build(spec: Spec, given: Arguments, origin: Origin | None) -> Value:
    if spec.kind == "T":
        dtype = _dtype(spec.dtype, given)
        rank = _rank(spec.rank, given)
        return Value(tensor_atoms(dtype, rank), Confidence.PROVED, origin)
    if spec.kind in _BRACKETS:
        kind = _BRACKETS[spec.kind][0]
        parts = [_alternatives(p, given, origin) for p in spec.items]
        if spec.repeated:
            return Value((Container(kind, None, parts[0]),), Confidence.PROVED, origin)
        return Value((Container(kind, tuple(parts)),), Confidence.PROVED, origin)
    return simple(spec)


def _alternatives(specs: tuple[Spec, ...], given: Arguments, origin: Origin | None) -> Value:
    out: Value | None = None
    for spec in specs:
        value = _build(spec, given, origin)
        out = value if out is None else join(out, value)
    return out if out is not None else UNKNOWN


def _dtype(rule: str, given: Arguments) -> str | None:
    wanted = given.keywords.get("dtype")
    if wanted is not None and not is_none(wanted):
        return dtype_class(wanted) if rule not in _CLASS else _agreeing(rule, wanted)
    if rule in _CLASS:
        return _CLASS[rule]
    if not rule or any(is_dtype(a) for a in given.args):
        return next((dtype_class(a) for a in given.args if is_dtype(a)), None) if rule else None
    cls = _base_class(rule[-1], given)
    for prefix in reversed(rule[:-1]):
        if prefix == "^":
            cls = at_least_float(cls)
        elif prefix == "+":
            cls = "int" if cls in ("bool", "byte") else cls
        elif prefix == "-":
            cls = "float" if cls == "complex" else cls
    return cls


def _agreeing(rule: str, wanted: Value) -> str | None:
    """A constant class and a dtype argument: trusted only where they agree."""
    cls = dtype_class(wanted)
    return cls if cls == _CLASS[rule] else cls if rule == "f" else None


def _base_class(rule: str, given: Arguments) -> str | None:
    if rule == "=":
        return class_of(given.first())
    classes = [class_of(t) for t in given.tensors]
    if rule == "#":
        named = [v for k, v in given.keywords.items() if k in _OPERAND_KEYWORDS]
        classes += [_number_class(a) for a in (*given.args, *named) if _is_number(a)]
    if not classes:
        return None
    out = classes[0]
    for cls in classes[1:]:
        out = promote(out, cls)
    return out


def _is_number(value: Value) -> bool:
    return len(value.atoms) == 1 and type(value.atoms[0]) is Number


def _number_class(value: Value) -> str | None:
    atom = value.atoms[0]
    return atom.type if type(atom) is Number else None


def _rank(rule: str, given: Arguments) -> int | None:
    if not rule:
        return None
    if rule.isdigit():
        return int(rule)
    first = _tensor_rank(given.first())
    if rule == "=":
        return first
    if rule == "*":
        ranks = [_tensor_rank(t) for t in given.tensors]
        known = [r for r in ranks if r is not None]
        return max(known) if known and len(known) == len(ranks) else None
    if rule == "r":
        return reduced_rank(first, given.args, given.keywords)
    if first is None:
        return None
    return max(first - 1, 0) if rule == "-" else first + 1


def _tensor_rank(value: Value | None) -> int | None:
    """The rank of a tensor; None for a union with anything but None."""
    if value is None:
        return None
    out: int | None = None
    for atom in value.atoms:
        if type(atom) is NoneAtom:
            continue
        if type(atom) is not Tensor or atom.rank is None or (out is not None and out != atom.rank):
            return None
        out = atom.rank
    return out


def reduced_rank(rank: int | None, args: tuple[Value, ...], keywords: Keywords) -> int | None:
    """The rank left by a reduction over ``dim`` (second argument or keyword)."""
    dim = keywords.get("dim", keywords.get("axis", args[1] if len(args) > 1 else None))
    keep = keywords.get("keepdim", keywords.get("keepdims", args[2] if len(args) > 2 else None))
    kept: bool | None = False if is_none(keep) else bool_of(keep)
    if dim is not None and is_dtype(dim):
        dim = None
    if is_none(dim):
        return rank if kept else 0 if kept is False else None
    if kept is None or rank is None:
        return None
    assert dim is not None
    if len(dim.atoms) != 1:
        return None
    atom = dim.atoms[0]
    if type(atom) is Number:
        return rank if kept else max(rank - 1, 0)
    if type(atom) is Container and atom.items is not None:
        if not atom.items:
            return rank if kept else 0
        return rank if kept else max(rank - len(atom.items), 0)
    return None

"""The lattice of inference: what a name or expression may be at run time.

A ``Value`` is a small set of *atoms* (a union), a confidence and an origin (the reason, for
people). UNKNOWN is the safe answer: rules never report on it. Atoms are immutable and
hashable; origins take no part in equality, so fixpoints end. They are not ``frozen`` only
because a frozen dataclass takes three times as long to make, and millions are made.
"""

from __future__ import annotations

from typing import Union

from torch_compile_lint.model import Confidence
from torch_compile_lint.records import dataclass, field


@dataclass(slots=True, unsafe_hash=True)
class Tensor:
    """A torch.Tensor.

    ``dtype`` is the class bool, int, float or complex, or None (unknown); ``rank`` the number
    of dimensions where known.
    """

    dtype: str | None = None
    rank: int | None = None


@dataclass(slots=True, unsafe_hash=True)
class Number:
    """A Python int, float, bool or complex (``type``), also a SymInt from a shape.

    ``source``: 'shape' (x.shape[0], x.numel()), 'tensor' (x.item(): already broke the graph),
    'random' (Python's generator: the graph draws it anew), 'python' (everything else).
    ``const``: the value where it is one constant, else None.
    """

    type: str | None = None
    source: str = "python"
    const: int | float | bool | None = None


@dataclass(slots=True, unsafe_hash=True)
class Text:
    """A str or bytes; ``const`` where it is one constant."""

    const: str | None = None


@dataclass(slots=True, unsafe_hash=True)
class NoneAtom:
    """The value None."""


@dataclass(slots=True, unsafe_hash=True)
class Size:
    """A torch.Size; iterating or indexing gives Number(int, shape)."""

    rank: int | None = None


@dataclass(slots=True, unsafe_hash=True)
class Array:
    """A numpy ndarray (Dynamo traces it through torch._numpy)."""


@dataclass(slots=True, unsafe_hash=True)
class Container:
    """``kind``: list, tuple, dict, set, iterator.

    ``items``: the exact elements of a list/tuple whose length is known (dict: the values, with
    ``keys`` the constant keys), else None and ``element`` is the join of all elements.
    """

    kind: str
    items: tuple[Value, ...] | None = None
    element: Value | None = None
    keys: tuple[object, ...] | None = None


@dataclass(slots=True, unsafe_hash=True)
class Function:
    """A project function: ``path`` of its file and ``qualname``.

    ``bound`` is the receiver of a bound method; ``closure`` identifies captured values of a
    nested function (a key into the analysis, see ``program.infer``).
    """

    path: str
    qualname: str
    bound: Value | None = None
    closure: int = 0


@dataclass(slots=True, unsafe_hash=True)
class ClassRef:
    """A class object: ``symbol`` is 'dotted.module.Qual.name' of a project or external class."""

    symbol: str


@dataclass(slots=True, unsafe_hash=True)
class Instance:
    """An instance of class ``symbol`` ('torch.nn.Linear', 'pkg.mod.Block', 'logging.Logger').

    ``module`` is True when it is known to be an nn.Module. ``items``: the children of a
    Sequential/ModuleList/ModuleDict as a Container value.
    """

    symbol: str
    module: bool = False
    items: Value | None = None


@dataclass(slots=True, unsafe_hash=True)
class Api:
    """An external function, builtin or type by its canonical dotted name.

    'torch.nn.functional.relu', 'builtins.print', 'math.sqrt', 'torch.Tensor.item' (with
    ``bound`` the receiver), 'numpy.interp'. Canonical means re-exports are resolved
    (``torch.relu`` stays; ``F.relu`` is 'torch.nn.functional.relu').
    """

    symbol: str
    bound: Value | None = None


@dataclass(slots=True, unsafe_hash=True)
class PyModule:
    """A Python module object, e.g. PyModule('torch.nn.functional')."""

    name: str


@dataclass(slots=True, unsafe_hash=True)
class Partial:
    """functools.partial(func, *args, **keywords)."""

    func: Value
    args: tuple[Value, ...] = ()
    keywords: tuple[tuple[str, Value], ...] = ()


@dataclass(slots=True, unsafe_hash=True)
class Opaque:
    """Something known to be no tensor, otherwise unknown: a dtype, a device, a config object.

    ``label`` says what: 'torch.dtype', 'torch.device', 'config', 'result of pkg.f'.
    """

    label: str = ""


@dataclass(slots=True, unsafe_hash=True)
class Unknown:
    """Anything at all."""


Atom = Union[
    Tensor, Number, Text, NoneAtom, Size, Array, Container, Function, ClassRef, Instance, Api,
    PyModule, Partial, Opaque, Unknown,
]  # fmt: skip


@dataclass(slots=True, unsafe_hash=True)
class Origin:
    """Why a value is what it is: one sentence, and the origin it rests on."""

    text: str
    parent: Origin | None = None

    def chain(self, limit: int = 5) -> tuple[str, ...]:
        """Sentences from this reason back to the first, at most ``limit``."""
        out: list[str] = []
        node: Origin | None = self
        while node is not None and len(out) < limit:
            out.append(node.text)
            node = node.parent
        return tuple(out)


ANNOTATED = "it is annotated as "  # the origin of what an annotation says; later with a name for "it"


@dataclass(slots=True, unsafe_hash=True)
class Value:
    """A union of atoms. ``atoms`` is sorted and free of duplicates; never empty."""

    atoms: tuple[Atom, ...]
    confidence: Confidence = Confidence.PROVED
    origin: Origin | None = field(default=None, compare=False)


# ---------------------------------------------------------------- constructors

UNKNOWN = Value((Unknown(),), Confidence.PROVED)
NONE = Value((NoneAtom(),))
# The value of what has not returned yet (a recursive call on its first pass) or cannot be:
# the identity of ``join``. It never reaches a rule.
NEVER = Value(())
TRUE = Value((Number("bool", const=True),))
FALSE = Value((Number("bool", const=False),))
BOOL = Value((Number("bool"),))
INT = Value((Number("int"),))
FLOAT = Value((Number("float"),))
TEXT = Value((Text(),))
SHAPE_INT = Value((Number("int", "shape"),))


def of(atom: Atom, confidence: Confidence = Confidence.PROVED, origin: Origin | None = None) -> Value:
    """The value that is exactly ``atom``."""
    return Value((atom,), confidence, origin)


def tensor(
    dtype: str | None = None,
    rank: int | None = None,
    confidence: Confidence = Confidence.PROVED,
    origin: Origin | None = None,
) -> Value:
    """A tensor value."""
    return Value((Tensor(dtype, rank),), confidence, origin)


def constant(value: object) -> Value:
    """The value of a Python literal."""
    if value is None:
        return NONE
    if value is True:
        return TRUE
    if value is False:
        return FALSE
    if isinstance(value, int):
        return Value((Number("int", const=value),))
    if isinstance(value, float):
        return Value((Number("float", const=value),))
    if isinstance(value, complex):
        return Value((Number("complex"),))
    if isinstance(value, str):
        return Value((Text(value),))
    if isinstance(value, bytes):
        return TEXT
    return Value((Opaque("ellipsis" if value is Ellipsis else type(value).__name__),))


def opaque(label: str) -> Value:
    """Something known to be no tensor."""
    return Value((Opaque(label),))


# ---------------------------------------------------------------- predicates


def is_tensor(value: Value) -> bool:
    """True when the value can be nothing but a tensor."""
    atoms = value.atoms
    if len(atoms) == 1:
        return type(atoms[0]) is Tensor
    return bool(atoms) and all(type(a) is Tensor for a in atoms)


def may_be_tensor(value: Value) -> bool:
    """True when a tensor is among what the value may be (an unknown value is not enough)."""
    return any(type(a) is Tensor for a in value.atoms)


def is_unknown(value: Value) -> bool:
    """True when nothing is known, or when anything else is possible besides what is known."""
    atoms = value.atoms
    if len(atoms) == 1:
        return type(atoms[0]) is Unknown
    return not atoms or any(type(a) is Unknown for a in atoms)


def only(value: Value, *kinds: type) -> bool:
    """True when every atom is of one of the atom classes ``kinds``."""
    return bool(value.atoms) and all(type(a) in kinds for a in value.atoms)


def may_be(value: Value, *kinds: type) -> bool:
    """True when some atom is of one of the atom classes ``kinds``."""
    return any(type(a) in kinds for a in value.atoms)


def shares_kind(a: Value, b: Value) -> bool:
    """True when some atom of one is of the class of an atom of the other (None aside)."""
    kinds = {type(atom) for atom in a.atoms} - {NoneAtom}
    return any(type(atom) in kinds for atom in b.atoms)


def is_annotated(value: Value) -> bool:
    """True when nothing but an annotation says what the value is."""
    origin = value.origin
    return origin is not None and origin.parent is None and ANNOTATED[2:] in origin.text


def is_none(value: Value) -> bool:
    """True when the value can be nothing but None."""
    return len(value.atoms) == 1 and type(value.atoms[0]) is NoneAtom


def without(value: Value, *kinds: type) -> Value:
    """The value minus the atoms of these classes; NEVER when nothing is left."""
    if not any(type(a) in kinds for a in value.atoms):
        return value
    left = tuple(a for a in value.atoms if type(a) not in kinds)
    return Value(left, value.confidence, value.origin) if left else NEVER


def keep(value: Value, *kinds: type) -> Value:
    """The value restricted to the atoms of these classes; NEVER when nothing is left."""
    left = tuple(a for a in value.atoms if type(a) in kinds)
    if len(left) == len(value.atoms):
        return value
    return Value(left, value.confidence, value.origin) if left else NEVER


def tensor_atom(value: Value) -> Tensor | None:
    """The tensor among the atoms (there is at most one), or None."""
    for atom in value.atoms:
        if type(atom) is Tensor:
            return atom
    return None


def constant_of(value: Value) -> tuple[object] | None:
    """``(c,)`` when the value is exactly the constant ``c`` (None, bool, number or str)."""
    if len(value.atoms) != 1:
        return None
    atom = value.atoms[0]
    if type(atom) is NoneAtom:
        return (None,)
    if type(atom) is Number or type(atom) is Text:
        return None if atom.const is None else (atom.const,)
    return None


def known_items(value: Value) -> tuple[Value, ...] | None:
    """The items of a list or tuple of constants; None for any other value."""
    held = value.atoms[0] if len(value.atoms) == 1 else None
    if type(held) is not Container or held.items is None or held.kind == "dict":
        return None
    return held.items if all(constant_of(item) is not None for item in held.items) else None


def at_most(value: Value, confidence: Confidence) -> Value:
    """The value, no surer than ``confidence``."""
    if value.confidence <= confidence:
        return value
    return Value(value.atoms, confidence, value.origin)


def because(value: Value, text: str, parent: Origin | None = None) -> Value:
    """The value with this reason on top."""
    return Value(value.atoms, value.confidence, Origin(text, parent if parent is not None else value.origin))

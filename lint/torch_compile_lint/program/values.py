"""The lattice of inference: what a name or expression may be at run time.

A ``Value`` is a small set of *atoms* (a union), a confidence and an origin (the reason, for
people). UNKNOWN is the safe answer: rules never report on it. Atoms are immutable and
hashable; origins take no part in equality, so fixpoints end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Union

from torch_compile_lint.model import Confidence


@dataclass(frozen=True, slots=True)
class Tensor:
    """A torch.Tensor.

    ``dtype`` is the class bool, int, float or complex, or None (unknown); ``rank`` the number
    of dimensions where known.
    """

    dtype: str | None = None
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class Number:
    """A Python int, float, bool or complex (``type``), also a SymInt from a shape.

    ``source``: 'shape' (x.shape[0], x.numel()), 'tensor' (x.item(): already broke the graph),
    'python' (everything else). ``const``: the value where it is one constant, else None.
    """

    type: str | None = None
    source: str = "python"
    const: int | float | bool | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """A str or bytes; ``const`` where it is one constant."""

    const: str | None = None


@dataclass(frozen=True, slots=True)
class NoneAtom:
    """The value None."""


@dataclass(frozen=True, slots=True)
class Size:
    """A torch.Size; iterating or indexing gives Number(int, shape)."""

    rank: int | None = None


@dataclass(frozen=True, slots=True)
class Array:
    """A numpy ndarray (Dynamo traces it through torch._numpy)."""


@dataclass(frozen=True, slots=True)
class Container:
    """``kind``: list, tuple, dict, set, iterator.

    ``items``: the exact elements of a list/tuple whose length is known (dict: the values, with
    ``keys`` the constant keys), else None and ``element`` is the join of all elements.
    """

    kind: str
    items: tuple[Value, ...] | None = None
    element: Value | None = None
    keys: tuple[object, ...] | None = None


@dataclass(frozen=True, slots=True)
class Function:
    """A project function: ``path`` of its file and ``qualname``.

    ``bound`` is the receiver of a bound method; ``closure`` identifies captured values of a
    nested function (a key into the analysis, see ``program.infer``).
    """

    path: str
    qualname: str
    bound: Value | None = None
    closure: int = 0


@dataclass(frozen=True, slots=True)
class ClassRef:
    """A class object: ``symbol`` is 'dotted.module.Qual.name' of a project or external class."""

    symbol: str


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance of class ``symbol`` ('torch.nn.Linear', 'pkg.mod.Block', 'logging.Logger').

    ``module`` is True when it is known to be an nn.Module. ``items``: the children of a
    Sequential/ModuleList/ModuleDict as a Container value.
    """

    symbol: str
    module: bool = False
    items: Value | None = None


@dataclass(frozen=True, slots=True)
class Api:
    """An external function, builtin or type by its canonical dotted name.

    'torch.nn.functional.relu', 'builtins.print', 'math.sqrt', 'torch.Tensor.item' (with
    ``bound`` the receiver), 'numpy.interp'. Canonical means re-exports are resolved
    (``torch.relu`` stays; ``F.relu`` is 'torch.nn.functional.relu').
    """

    symbol: str
    bound: Value | None = None


@dataclass(frozen=True, slots=True)
class PyModule:
    """A Python module object, e.g. PyModule('torch.nn.functional')."""

    name: str


@dataclass(frozen=True, slots=True)
class Partial:
    """functools.partial(func, *args, **keywords)."""

    func: Value
    args: tuple[Value, ...] = ()
    keywords: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Opaque:
    """Something known to be no tensor, otherwise unknown: a dtype, a device, a config object.

    ``label`` says what: 'torch.dtype', 'torch.device', 'config', 'result of pkg.f'.
    """

    label: str = ""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Anything at all."""


Atom = Union[
    Tensor, Number, Text, NoneAtom, Size, Array, Container, Function, ClassRef, Instance, Api,
    PyModule, Partial, Opaque, Unknown,
]  # fmt: skip


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Value:
    """A union of atoms. ``atoms`` is sorted and free of duplicates; never empty."""

    atoms: tuple[Atom, ...]
    confidence: Confidence = Confidence.PROVED
    origin: Origin | None = field(default=None, compare=False)

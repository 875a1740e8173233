"""What a name can resolve to. Values only; nothing here looks anything up."""

from __future__ import annotations

from typing import Union

from torch_compile_lint.facts import ir
from torch_compile_lint.facts.index_ir import ClassIndex, FunctionIndex
from torch_compile_lint.records import dataclass


@dataclass(frozen=True, slots=True)
class FunctionSymbol:
    """A unit-level function or method of an indexed file."""

    path: str
    qualname: str


@dataclass(frozen=True, slots=True)
class ClassSymbol:
    """A class of an indexed file; ``symbol`` is its dotted name."""

    symbol: str


@dataclass(frozen=True, slots=True)
class ModuleSymbol:
    """A module or package of the program; ``path`` is None for a namespace package."""

    name: str
    path: str | None


@dataclass(frozen=True, slots=True)
class VariableSymbol:
    """A module-level variable; ``sketches`` are what is assigned to it (empty: unknown)."""

    path: str
    name: str
    sketches: tuple[ir.Expr, ...]


@dataclass(frozen=True, slots=True)
class ExternalSymbol:
    """Anything outside the program by its canonical dotted name, builtins included."""

    name: str


Symbol = Union[FunctionSymbol, ClassSymbol, ModuleSymbol, VariableSymbol, ExternalSymbol]


@dataclass(frozen=True, slots=True, eq=False)
class ClassInfo:
    """A class and where it stands. ``external`` is True for one of another package."""

    symbol: str
    path: str
    index: ClassIndex
    external: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class MethodRef:
    """A method found on a class.

    ``owner`` is the symbol of the class that defines it; ``kind``: method, static, class,
    property, cached-property. ``external`` as in ``ClassInfo``.
    """

    path: str
    qualname: str
    owner: str
    kind: str
    index: FunctionIndex
    external: bool = False

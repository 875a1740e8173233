"""Versions of torch as values: what code asks of ``torch.__version__`` is answered for the target release.

A version is ``Opaque('version 2.13.0')``, whether it came from torch, from ``packaging`` or from a literal
given to it. The target names a minor release, so a question that only a patch decides stays open.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from torch_compile_lint.program.transfer_kinds import Keywords, text_of
from torch_compile_lint.program.values import (
    Atom,
    Container,
    Instance,
    Opaque,
    Text,
    Value,
    constant,
    constant_of,
)

Args = tuple[Value, ...]
Handler = Callable[[Args, Keywords], "Value | None"]

_LABEL = "version "
_RELEASE = re.compile(r"v?(\d+(?:\.\d+)*)(.*)")
#: Names that give torch's version as it is written.
OF_TORCH = frozenset(("torch.__version__", "torch.version.__version__", "torch.torch_version.__version__"))


#: Classes whose instances are versions here.
CLASSES = frozenset(
    ("packaging.version.Version", "distutils.version.LooseVersion", "distutils.version.StrictVersion")
)


def version(text: str) -> Value:
    """The version that ``text`` writes."""
    return Value((Opaque(_LABEL + text),))


def version_text(atom: Atom) -> str | None:
    """How a version is written; None where the atom is none, or is one that is not known."""
    return atom.label[len(_LABEL) :] if type(atom) is Opaque and atom.label.startswith(_LABEL) else None


def parsed(args: tuple[Value, ...]) -> Value | None:
    """``packaging.version.parse`` and its kin."""
    if not args or len(args[0].atoms) != 1:
        return None
    written = text_of(args[0])
    if written is None:
        written = version_text(args[0].atoms[0])
    return None if written is None or not _RELEASE.match(written) else version(written)


def _made(args: Args, keywords: Keywords) -> Value:
    return parsed(args) or Value((Opaque("version"),))


HANDLERS: dict[str, Handler] = dict.fromkeys(
    (*CLASSES, "packaging.version.parse", "pkg_resources.parse_version", "torch.torch_version.TorchVersion"),
    _made,
)


def is_of_torch(symbol: str, args: Args) -> bool:
    """Whether a call asks the installed packages for torch's version."""
    return symbol in _METADATA and len(args) == 1 and text_of(args[0]) == "torch"


_METADATA = frozenset(("importlib.metadata.version", "importlib_metadata.version"))


def _found(args: Args, keywords: Keywords) -> Value | None:
    """``importlib.util.find_spec("torch")``: where code is compiled torch is there."""
    sure = bool(args) and text_of(args[0]) == "torch"
    return Value((Instance("importlib.machinery.ModuleSpec"),)) if sure else None


HANDLERS["importlib.util.find_spec"] = _found


def order(a: Atom, b: Atom) -> int | None:
    """-1, 0 or 1 for a version below, at or above another (a text or a tuple of numbers); None when open."""
    if version_text(a) is None and version_text(b) is None:
        return _order_of_tuples(a, b)
    one, two = _numbers(a), _numbers(b)
    if one is None or two is None:
        return None
    (left, left_more), (right, right_more) = one, two
    if left[:2] != right[:2]:
        return -1 if left[:2] < right[:2] else 1
    if left != right or left_more or right_more:
        return None  # a patch or a pre-release of the same minor release
    return 0


def attribute(written: str, name: str) -> Value | None:
    """An attribute of a version that says something of its numbers; None for any other."""
    found = _RELEASE.match(written)
    if found is None:
        return None
    numbers = [int(part) for part in found[1].split(".")]
    numbers += [0] * (3 - len(numbers))
    if name in ("major", "minor", "micro"):
        return constant(numbers[("major", "minor", "micro").index(name)])
    if name in ("release", "version"):
        return Value((Container("tuple", tuple(constant(number) for number in numbers)),))
    return constant(found[1]) if name == "base_version" else None


def _numbers(atom: Atom) -> tuple[list[int], bool] | None:
    """The release as three numbers or more, and whether more than that is written."""
    if type(atom) is Container:
        known = [constant_of(item) for item in atom.items or ()]
        numbers = [item[0] for item in known if item is not None and type(item[0]) is int]
        return None if not numbers or len(numbers) != len(known) else (_padded(numbers), False)
    written = atom.const if type(atom) is Text else version_text(atom)
    found = None if written is None else _RELEASE.match(written)
    if found is None:
        return None
    return _padded([int(part) for part in found[1].split(".")]), bool(found[2])


def _order_of_tuples(a: Atom, b: Atom) -> int | None:
    """Two tuples of known numbers, as a version's `release` and what it is held against."""
    if (
        type(a) is not Container
        or type(b) is not Container
        or a.kind != b.kind
        or a.kind not in ("tuple", "list")
    ):
        return None
    both = [[constant_of(item) for item in atom.items or ()] for atom in (a, b)]
    numbers = [[item[0] for item in row if item is not None and type(item[0]) is int] for row in both]
    if not all(numbers) or [len(row) for row in numbers] != [len(row) for row in both]:
        return None
    one, two = numbers
    return (one > two) - (one < two)


def _padded(numbers: list[int]) -> list[int]:
    return numbers + [0] * (3 - len(numbers))


__all__ = [
    "CLASSES",
    "HANDLERS",
    "OF_TORCH",
    "attribute",
    "is_of_torch",
    "order",
    "parsed",
    "version",
    "version_text",
]

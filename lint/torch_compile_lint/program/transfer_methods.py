"""Methods of strings, lists, dicts and sets, and the builtins that give plain values.

Only results: that ``list.append`` changes its list is the interpreter's business.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from torch_compile_lint.program.lattice import container, element_of, join, join_all
from torch_compile_lint.program.transfer_compare import compare
from torch_compile_lint.program.transfer_index import subscript
from torch_compile_lint.program.transfer_kinds import (
    Keywords,
    int_of,
    listing,
    text_of,
)
from torch_compile_lint.program.transfer_ops import iterate
from torch_compile_lint.program.transfer_python import HANDLERS as BUILTINS
from torch_compile_lint.program.transfer_python import iterator
from torch_compile_lint.program.values import (
    BOOL,
    INT,
    NONE,
    TEXT,
    UNKNOWN,
    Container,
    Instance,
    Opaque,
    Value,
    constant,
    constant_of,
)

Args = tuple[Value, ...]
Handler = Callable[[Args, Keywords], "Value | None"]
H = TypeVar("H", bound=Handler)

HANDLERS: dict[str, Handler] = {}


def _handles(*symbols: str) -> Callable[[H], H]:
    def register(handler: H) -> H:
        for symbol in symbols:
            HANDLERS["builtins." + symbol] = handler
        return handler

    return register


# ---------------------------------------------------------------- text and the rest

_SIMPLE = {
    "str repr ascii format chr hex oct bin input bytes": TEXT,
    "ord hash id": INT,
    "print setattr delattr breakpoint": NONE,
    "globals locals vars": Value((Container("dict", None, UNKNOWN),)),
    "dir": Value((Container("list", None, TEXT),)),
    "object": Value((Instance("builtins.object"),)),
    "open": Value((Opaque("file"),)),
    "str.format str.join str.lower str.upper str.strip str.lstrip str.rstrip str.replace str.title"
    " str.capitalize str.zfill str.ljust str.rjust str.center str.removeprefix str.removesuffix str.encode"
    " str.decode"
    " str.translate str.casefold str.swapcase str.expandtabs str.format_map": TEXT,
    "str.split str.rsplit str.splitlines": Value((Container("list", None, TEXT),)),
    "str.partition str.rpartition": Value((Container("tuple", (TEXT, TEXT, TEXT)),)),
    "str.find str.rfind str.index str.count str.rindex list.index list.count tuple.index tuple.count": INT,
    "str.startswith str.endswith str.isdigit str.isalpha str.isupper str.islower str.isidentifier str.isalnum"
    " str.isspace str.isnumeric str.isdecimal str.__contains__ float.is_integer int.is_integer": BOOL,
    "list.append list.extend list.insert list.remove list.sort list.reverse list.clear dict.clear dict.update"
    " set.add set.update set.discard set.remove set.clear": NONE,
    "set.issubset set.issuperset set.isdisjoint": BOOL,
    "int.bit_length int.numerator int.denominator": INT,
}


def _register_simple() -> None:
    for names, value in _SIMPLE.items():
        for name in names.split():
            HANDLERS["builtins." + name] = lambda args, keywords, value=value: value  # type: ignore[misc]


_register_simple()


@_handles("str")
def _str(args: Args, keywords: Keywords) -> Value:
    known = constant_of(args[0]) if args else ("",)
    return TEXT if known is None or isinstance(known[0], float) else constant(str(known[0]))


def _fold(name: str, otherwise: Value) -> Handler:
    def handler(args: Args, keywords: Keywords) -> Value:
        texts = [text_of(a) for a in args]
        if keywords or not texts or None in texts:
            return otherwise
        return constant(getattr(str, name)(*texts))

    return handler


@_handles("str.split")
def _split(args: Args, keywords: Keywords) -> Value:
    given = {**dict(zip(("", "sep", "maxsplit"), args, strict=False)), **keywords}
    known = {name: constant_of(value) for name, value in given.items()}
    text, separator, most = (known.get(name, (default,)) for name, default in _SPLIT_DEFAULTS)
    if text is None or separator is None or most is None or not isinstance(text[0], str):
        return Value((Container("list", None, TEXT),))
    sep, count = separator[0], most[0]
    if not (sep is None or (isinstance(sep, str) and sep)) or type(count) is not int:
        return Value((Container("list", None, TEXT),))
    return Value((Container("list", tuple(constant(part) for part in text[0].split(sep, count))),))


_SPLIT_DEFAULTS: tuple[tuple[str, object], ...] = (("", None), ("sep", None), ("maxsplit", -1))


for _name in ("startswith", "endswith"):
    HANDLERS["builtins.str." + _name] = _fold(_name, BOOL)
for _name in ("lower", "upper", "strip"):
    HANDLERS["builtins.str." + _name] = _fold(_name, TEXT)


# ---------------------------------------------------------------- methods of containers


def _held(args: Args) -> Container | None:
    if not args or len(args[0].atoms) != 1:
        return None
    atom = args[0].atoms[0]
    return atom if type(atom) is Container else None


@_handles("dict.get", "dict.pop", "dict.setdefault")
def _get(args: Args, keywords: Keywords) -> Value | None:
    held = _held(args)
    if held is None or len(args) < 2:
        return None
    default = args[2] if len(args) > 2 else keywords.get("default", NONE)
    key = constant_of(args[1])
    if key is not None and held.keys is not None and held.items is not None:
        for name, item in zip(held.keys, held.items, strict=True):
            if name == key[0]:
                return item
    element = element_of(held)
    return join(element, default) if element.atoms else default


@_handles("dict.items")
def _dict_items(args: Args, keywords: Keywords) -> Value | None:
    held = _held(args)
    if held is None:
        return None
    if held.keys is not None and held.items is not None:
        pairs = zip(held.keys, held.items, strict=True)
        return iterator(tuple(listing("tuple", constant(k), v) for k, v in pairs), UNKNOWN)
    element = element_of(held)
    return iterator(None, listing("tuple", UNKNOWN, element)) if element.atoms else iterator((), UNKNOWN)


@_handles("dict.keys")
def _dict_keys(args: Args, keywords: Keywords) -> Value | None:
    held = _held(args)
    if held is None:
        return None
    keys = None if held.keys is None else tuple(constant(k) for k in held.keys)
    return iterator(keys, UNKNOWN)


@_handles("dict.values")
def _dict_values(args: Args, keywords: Keywords) -> Value | None:
    held = _held(args)
    return None if held is None else iterator(held.items, element_of(held))


@_handles("list.pop", "set.pop", "dict.popitem")
def _pop(args: Args, keywords: Keywords) -> Value | None:
    held = _held(args)
    if held is None:
        return None
    if held.kind == "dict":
        return listing("tuple", UNKNOWN, element_of(held))
    if held.items and held.kind == "list":
        position = int_of(args[1]) if len(args) > 1 else -1
        if position is not None and -len(held.items) <= position < len(held.items):
            return held.items[position]
    element = element_of(held)
    return element if element.atoms else UNKNOWN


@_handles("list.copy", "dict.copy", "set.copy", "tuple.copy")
def _copy(args: Args, keywords: Keywords) -> Value | None:
    return args[0] if args else None


@_handles("set.union", "set.intersection", "set.difference", "set.symmetric_difference")
def _union(args: Args, keywords: Keywords) -> Value | None:
    held = _held(args)
    if held is None:
        return None
    return container("set", None, join_all([element_of(held), *(iterate(a) for a in args[1:])]))


@_handles("list.__contains__", "dict.__contains__", "tuple.__contains__")
def _contains(args: Args, keywords: Keywords) -> Value | None:
    return compare("in", args[1], args[0]) if len(args) == 2 else None


@_handles("list.__len__", "dict.__len__", "tuple.__len__", "str.__len__")
def _dunder_len(args: Args, keywords: Keywords) -> Value | None:
    return BUILTINS["builtins.len"](args, keywords)


@_handles("list.__getitem__", "dict.__getitem__", "tuple.__getitem__")
def _getitem(args: Args, keywords: Keywords) -> Value | None:
    return subscript(args[0], args[1]) if len(args) == 2 else None

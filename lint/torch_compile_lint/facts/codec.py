"""``FunctionFacts`` and ``FileIndex`` to bytes and back.

The bytes are a header (schema, checksum), a JSON array of the strings and constants, and a
table of 32-bit integers that says how they make up nodes; never pickle or marshal, so that a
cache somebody checked in cannot run code. (All of it in JSON took three times as long to read:
most of a node is small integers, and JSON spells each of them out.)

How a field is written follows from its annotation, so a new field of a contract is carried
without a change here, and every change of a contract changes the schema. Whatever is wrong
with the bytes, decoding raises ``CodecError`` and nothing else.
"""

from __future__ import annotations

import gc
import json
import sys
from array import array
from collections.abc import Callable, Iterator
from itertools import islice, repeat
from operator import attrgetter, itemgetter
from sys import intern
from typing import Any
from zlib import crc32

from torch_compile_lint.facts import index_ir, ir
from torch_compile_lint.records import field_annotations, is_record

#: Raised when the meaning of the bytes changes though no contract does.
FORMAT = 2

_HEADER = 24  # schema, checksum and length of the JSON part, eight hexadecimal digits each
_HUGE = 1 << 4096  # json.loads refuses integers of more than 4,300 decimal digits


class CodecError(Exception):
    """The bytes are not what this version writes: a cache miss."""


def _classes() -> dict[str, type]:
    found: dict[str, type] = {}
    for module in (ir, index_ir):
        for name, value in sorted(vars(module).items()):
            if is_record(value) and value.__module__ == module.__name__:
                found[name] = value
    return found


_CLASSES = _classes()
#: Number of each class in the integer table; 0 stands for None.
_NUMBERS = {cls: number for number, cls in enumerate(_CLASSES.values(), 1)}
#: How each field is written: a word of ``_kind``, and the kind of what is inside it.
_Kind = tuple[str, "_Kind | None"]


def _kind(annotation: str) -> _Kind:
    text = annotation.removesuffix(" | None").replace("ir.", "")
    if text in ("int", "bool"):
        return text, None
    if text in ("str", "object"):
        return "value", None
    if text in _CLASSES:
        return "node", None
    if text == "frozenset[str]":
        return "set", None
    if text == "Block":
        return "tuple", ("node", None)
    if text.startswith("dict[str, "):
        return "dict", _kind(text[10:-1])
    if text.startswith("tuple[tuple[str, ") and text.endswith("], ...]"):
        return "pairs", _kind(text[17:-7])
    if text.startswith("tuple[") and text.endswith(", ...]"):
        return "tuple", _kind(text[6:-6])
    raise TypeError(f"no encoding for a field of type {annotation!r}")


_FIELDS: dict[type, tuple[tuple[str, _Kind], ...]] = {}


def _prepare() -> int:
    """Fill ``_FIELDS``; a number that stands for the shape of all classes."""
    shape = [str(FORMAT)]
    kinds: dict[str, _Kind] = {}
    for name, cls in _CLASSES.items():
        shape.append(name)
        found = []
        for field, text in field_annotations(cls).items():
            shape += field, text
            kind = kinds.get(text)
            if kind is None:
                kinds[text] = kind = _kind(text)
            found.append((field, kind))
        _FIELDS[cls] = tuple(found)
    return crc32("\n".join(shape).encode())


def _steps(cls: type) -> tuple[int, Any, tuple[tuple[str, str, _Kind | None], ...]]:
    """A class's number, what reads the integers it begins with at once, and its other fields."""
    fields = _FIELDS[cls]
    count = 0
    while count < len(fields) and fields[count][1][0] == "int":
        count += 1
    if count < 2:
        count = 0
    head = attrgetter(*[name for name, _ in fields[:count]]) if count else None
    return _NUMBERS[cls], head, tuple([(name, kind, inner) for name, (kind, inner) in fields[count:]])


#: Part of every encoding, and of the cache's salt: no two versions of the contracts share it.
SCHEMA = _prepare()
_STEPS = {cls: _steps(cls) for cls in _CLASSES.values()}


# ---------------------------------------------------------------- writing


class _Writer:
    """Collects the values and the integers of one encoding."""

    def __init__(self) -> None:
        self.values: list[Any] = [None]
        self.at: dict[Any, int] = {None: 0}
        self.ints: list[int] = []

    def value(self, value: Any) -> int:
        """The place of a string or constant in the table of values."""
        kind = type(value)
        if kind is str:
            key: Any = value
        elif value is None:
            return 0
        else:
            key = (kind, repr(value) if kind is float or kind is complex else value)
        place = self.at.get(key)
        if place is None:
            self.at[key] = place = len(self.values)
            self.values.append(_constant_to_json(value))
        return place

    def node(self, node: Any) -> None:
        ints = self.ints
        if node is None:
            ints.append(0)
            return
        number, head, rest = _STEPS[type(node)]
        ints.append(number)
        if head is not None:
            ints.extend(head(node))
        for name, kind, inner in rest:
            value = getattr(node, name)
            if kind == "value":
                place = self.at.get(value) if type(value) is str else None
                ints.append(self.value(value) if place is None else place)
            elif kind == "node":
                self.node(value)
            elif kind == "int":
                ints.append(value)
            else:
                self.field(value, kind, inner)

    def field(self, value: Any, kind: str, inner: _Kind | None) -> None:
        append = self.ints.append
        if kind == "node":
            self.node(value)
        elif kind == "value":
            append(self.value(value))
        elif kind == "int" or kind == "bool":
            append(int(value))
        elif value is None:
            append(-1)
        elif kind == "set":
            append(len(value))
            for item in sorted(value):
                append(self.value(item))
        elif kind == "tuple":
            assert inner is not None
            append(len(value))
            if inner[0] == "node":
                for item in value:
                    self.node(item)
            else:
                for item in value:
                    self.field(item, *inner)
        else:
            assert inner is not None
            append(len(value))
            for name, item in value if kind == "pairs" else value.items():
                append(self.value(name))
                self.field(item, *inner)


def _is_unicode(value: str) -> bool:
    """False with lone surrogates in it: JSON would read two in a row as one character."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _constant_to_json(value: Any) -> Any:
    kind = type(value)
    if kind is str:
        return value if value.isascii() or _is_unicode(value) else ["str", list(map(ord, value))]
    if kind is int:
        return value if -_HUGE < value < _HUGE else ["int", hex(value)]
    if kind is bytes:
        return ["bytes", value.decode("latin-1")]
    if kind is complex:
        return ["complex", [value.real, value.imag]]
    if value is ...:
        return ["...", None]
    if kind is float or kind is bool:
        return value
    raise CodecError(f"no encoding for a value of type {kind.__name__}")


def _encode(value: Any) -> bytes:
    writer = _Writer()
    try:
        writer.node(value)
    except RecursionError:
        raise CodecError("nested too deeply") from None
    table = array("i", writer.ints)
    if sys.byteorder == "big":
        table.byteswap()
    text = json.dumps(writer.values, separators=(",", ":"), check_circular=False).encode("ascii")
    text += b" " * (-len(text) % 4)
    body = b"%08x" % len(text) + text + table.tobytes()
    return b"%08x%08x" % (SCHEMA, crc32(body)) + body


# ---------------------------------------------------------------- reading


def _constant_from_json(value: Any) -> Any:
    kind, payload = value
    if kind == "...":
        return ...
    if kind == "bytes":
        return payload.encode("latin-1")
    if kind == "int":
        return int(payload, 16)
    if kind == "str":
        return "".join(map(chr, payload))
    if kind == "complex":
        return complex(*payload)
    raise CodecError(f"unknown constant {kind!r}")


#: The iterators that most fields share, by their place in ``_Reader.shared``.
_SHARED: dict[_Kind, int] = {
    ("int", None): 0,
    ("value", None): 1,
    ("node", None): 2,
    ("tuple", ("node", None)): 3,
    ("bool", None): 4,
}


def _plan(cls: type) -> tuple[Any, Callable[[Any], tuple[Any, ...]] | None]:
    """A class, and what picks its fields' iterators if all of them are shared ones."""
    places = [_SHARED.get(kind) for _, kind in _FIELDS[cls]]
    return cls, None if None in places else itemgetter(*places)


_PLANS = [(None, None), *map(_plan, _CLASSES.values())]


class _Reader(dict[int, Iterator[Any]]):
    """Makes the value whose integers it is given: by class number, the instances to come.

    All iterators here draw from the one stream of integers, so ``map(Class, *iterators)``,
    with one iterator per field, reads an instance off the stream without a Python loop, and
    ``node`` one of the class that the stream names first.
    """

    def __init__(self, values: list[Any], ints: list[int]) -> None:
        self.stream = stream = iter(ints)
        self.value = map(values.__getitem__, stream)
        self[0] = repeat(None)
        self.node: Iterator[Any] = map(next, map(self.__getitem__, stream))
        nodes = map(_tuple_of(self.node), stream)
        self.shared: tuple[Iterator[Any], ...] = (stream, self.value, self.node, nodes, map(bool, stream))

    def __missing__(self, number: int) -> Iterator[Any]:
        cls, pick = _PLANS[number]
        if pick is not None:
            instances = map(cls, *pick(self.shared))
        else:
            instances = map(cls, *[self.iterator(kind) for _, kind in _FIELDS[cls]])
        self[number] = instances
        return instances

    def iterator(self, kind: _Kind) -> Iterator[Any]:
        """Yields the next value of a kind that the stream holds."""
        place = _SHARED.get(kind)
        if place is not None:
            return self.shared[place]
        word, inner = kind
        if inner is None:
            return map(_set_of(self.value), self.stream)
        item = self.iterator(inner)
        if word == "tuple":
            return map(_tuple_of(item), self.stream)
        return map(_pairs_of(tuple if word == "pairs" else dict, self.value, item), self.stream)


# Each of these takes a count and consumes that many items.


def _tuple_of(items: Iterator[Any]) -> Callable[[int], Any]:
    return lambda count: tuple(islice(items, count)) if count > 0 else None if count else ()


def _set_of(items: Iterator[Any]) -> Callable[[int], Any]:
    return lambda count: frozenset(islice(items, count))


def _pairs_of(make: Callable[[Any], Any], names: Iterator[Any], items: Iterator[Any]) -> Callable[[int], Any]:
    # `zip` stops at the names' end before it asks for one item too many.
    return lambda count: None if count < 0 else make(zip(islice(names, count), items, strict=False))


def _read(values: list[Any], ints: list[int]) -> Any:
    reader = _Reader(values, ints)
    try:
        return next(reader.node)
    finally:
        reader.clear()  # it refers to itself; nothing should wait for the collector


class _Ints(dict[int, int]):
    """One object for each number: a large program's indexes hold millions of offsets, few distinct."""

    def __missing__(self, number: int) -> int:
        self[number] = number
        return number


_ints = _Ints()


def _decode(data: bytes, cls: type) -> Any:
    head, body = data[:16], data[16:]
    if head != b"%08x%08x" % (SCHEMA, crc32(body)):
        raise CodecError("written by another version, or damaged")
    collecting = gc.isenabled()
    gc.disable()  # nothing made here is garbage: collecting would only walk it again and again
    try:
        middle = _HEADER + int(data[16:_HEADER], 16)
        values = [
            intern(v) if type(v) is str else _constant_from_json(v) if type(v) is list else v
            for v in json.loads(data[_HEADER:middle])
        ]
        table = array("i")
        table.frombytes(data[middle:])
        if sys.byteorder == "big":
            table.byteswap()
        value = _read(values, list(map(_ints.__getitem__, table)))
    except CodecError:
        raise
    except Exception as error:
        raise CodecError(f"malformed: {type(error).__name__}") from None
    finally:
        if collecting:
            gc.enable()
    if type(value) is not cls:
        raise CodecError(f"not a {cls.__name__}")
    return value


def encode_facts(facts: ir.FunctionFacts) -> bytes:
    return _encode(facts)


def decode_facts(data: bytes) -> ir.FunctionFacts:
    value = _decode(data, ir.FunctionFacts)
    assert isinstance(value, ir.FunctionFacts)
    return value


def encode_index(index: index_ir.FileIndex) -> bytes:
    return _encode(index)


def decode_index(data: bytes) -> index_ir.FileIndex:
    value = _decode(data, index_ir.FileIndex)
    assert isinstance(value, index_ir.FileIndex)
    return value

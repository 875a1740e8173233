"""Dataclasses that cost next to nothing to define: what a method needs is made when it is first called.

``dataclasses`` imports ``inspect``, writes the source of up to seven methods per class and executes it: for
140 classes a third of a cold start (``benchmarks/places.py``). Here comparison, hash and text are closures
over ``operator.attrgetter``, as fast to call, and ``__init__`` is compiled when the first object is made.
``frozen`` is what mypy checks: a guard at run time would make every ``__init__`` go through
``object.__setattr__``. ``dataclasses.fields``, ``replace``, ``asdict`` and ``is_dataclass`` work as ever.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import replace as replace
else:

    def dataclass(*, frozen=False, slots=False, eq=True, unsafe_hash=False):
        """As ``dataclasses.dataclass``, which says what is equal and has a hash; ``frozen`` is unguarded."""
        return lambda cls: _record(cls, frozen, slots, eq, unsafe_hash)

    def field(*, default=..., default_factory=None, init=True, repr=True, compare=True):
        """As ``dataclasses.field``."""
        return _Field(default, default_factory, init, repr, compare)

    def replace(record, /, **changes):
        """As ``dataclasses.replace``: a copy with other values of some fields."""
        for name, one in _fields(type(record)).items():
            if one.init and name not in changes:
                changes[name] = getattr(record, name)
        return type(record)(**changes)


class _Field:
    """How a field is filled and used; ``default`` is ``...`` where there is none."""

    __slots__ = ("compare", "default", "init", "make", "repr")

    def __init__(self, default: Any, make: Any, init: bool, repr: bool, compare: bool) -> None:
        self.default, self.make, self.init, self.repr, self.compare = default, make, init, repr, compare


class _AsDataclass:
    """``__dataclass_fields__``: only who asks for it pays for the fields of ``dataclasses``."""

    def __get__(self, instance: object, owner: type) -> Mapping[str, Any]:
        import dataclasses

        made = {}
        for name, one in _fields(owner).items():
            given = {"default": one.default} if one.default is not ... else {}
            given |= {"default_factory": one.make} if one.make else {}
            made[name] = dataclasses.field(init=one.init, repr=one.repr, compare=one.compare, **given)
        body = {
            "__annotations__": field_annotations(owner),
            "__module__": owner.__module__,
            "__doc__": "",
            **made,
        }
        shadow = type(owner.__name__, (), body)
        done: type = dataclasses.dataclass(init=False, repr=False, eq=False)(shadow)
        fields: Mapping[str, Any] = vars(done)["__dataclass_fields__"]
        owner.__dataclass_fields__ = fields  # type: ignore[attr-defined]
        return fields


def _record(cls: Any, frozen: bool, slots: bool, eq: bool, unsafe_hash: bool) -> Any:
    """The class with the methods of a dataclass; with ``slots`` a new one of the same name."""
    written = dict(cls.__dict__)
    own: dict[str, _Field] = {}
    for name in cls.__annotations__:
        given = written.get(name, ...)
        own[name] = given if isinstance(given, _Field) else _Field(given, None, True, True, True)
    fields: dict[str, _Field] = {}
    for base in reversed(cls.__mro__[1:]):
        fields.update(base.__dict__.get("_own_fields", {}))
    fields.update(own)
    if slots:
        cls = _with_slots(cls, written, own, fields)
    else:
        for name, one in own.items():
            if one.default is not ...:
                setattr(cls, name, one.default)
            elif name in written:
                delattr(cls, name)
    cls._own_fields = own
    cls.__dataclass_fields__ = _AsDataclass()
    type.__setattr__(cls, "__match_args__", tuple(name for name, one in fields.items() if one.init))
    cls.__init__ = _init(cls)
    if "__repr__" not in written:
        cls.__repr__ = _text([name for name, one in fields.items() if one.repr])
    key = _key([name for name, one in fields.items() if one.compare])
    if eq and "__eq__" not in written:
        cls.__eq__ = _equal(key)
    if unsafe_hash or (eq and frozen and "__hash__" not in written):
        cls.__hash__ = _hash(key)
    elif eq and "__hash__" not in written:
        cls.__hash__ = None  # equal values that can change have no hash
    return cls


def _with_slots(cls: Any, written: dict[str, Any], own: dict[str, _Field], fields: dict[str, _Field]) -> Any:
    """The class again, with a slot for each field that no base has one for."""
    taken = {name for base in cls.__mro__[1:] for name in base.__dict__.get("__slots__", ())}
    kept = {k: v for k, v in written.items() if k not in own and k not in ("__dict__", "__weakref__")}
    kept["__slots__"] = tuple(name for name in fields if name not in taken)
    made = type(cls)(cls.__name__, cls.__bases__, kept)
    made.__qualname__ = cls.__qualname__
    return made


def _fields(cls: type) -> dict[str, _Field]:
    """The fields of a record and its bases, in the order of ``__init__``."""
    fields: dict[str, _Field] = {}
    for base in reversed(cls.__mro__):
        fields.update(base.__dict__.get("_own_fields", {}))
    return fields


def field_annotations(cls: type) -> dict[str, str]:
    """The fields of a record class, in the order of ``__init__``, and what their annotations say."""
    notes: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        notes.update({name: base.__annotations__[name] for name in base.__dict__.get("_own_fields", ())})
    return notes


def is_record(value: object) -> bool:
    """Whether a value is a class made by ``dataclass`` of this module, or derived from one."""
    return isinstance(value, type) and hasattr(value, "_own_fields")


def _init(cls: type) -> Callable[..., None]:
    """An ``__init__`` that puts the real one into its place when it is called, and calls it."""

    def __init__(self: Any, *given: Any, **named: Any) -> None:
        made = _compiled_init(cls)
        cls.__init__ = made  # type: ignore[misc]
        made(self, *given, **named)

    return __init__


def _compiled_init(cls: type) -> Callable[..., None]:
    """The ``__init__`` that ``dataclasses`` would have made of the fields."""
    takes, does = ["self"], []
    known: dict[str, Any] = {"missing": ...}
    for name, one in _fields(cls).items():
        value = name
        if one.make is not None:
            known[f"make_{name}"] = one.make
            value = f"make_{name}() if {name} is missing else {name}" if one.init else f"make_{name}()"
        elif one.default is not ...:
            known[f"default_{name}"] = one.default
            value = name if one.init else f"default_{name}"
        if one.init:
            optional = {f"make_{name}": "=missing", f"default_{name}": f"=default_{name}"}
            takes.append(name + next((text for key, text in optional.items() if key in known), ""))
        if one.init or value != name:
            does.append(f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        does.append("self.__post_init__()")
    exec(f"def __init__({', '.join(takes)}):\n " + "\n ".join(does or ["pass"]), known)
    made: Callable[..., None] = known["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _key(names: list[str]) -> Any:
    """What is compared: one value, or a tuple of them."""
    return attrgetter(*names) if names else type


def _equal(key: Any) -> Any:
    def __eq__(self: Any, other: object) -> Any:
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _hash(key: Any) -> Any:
    def __hash__(self: Any) -> int:
        return hash(key(self))

    return __hash__


def _text(names: list[str]) -> Any:
    def __repr__(self: Any) -> str:
        given = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({given})"

    return __repr__

"""Python's builtin functions and types."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from torch_compile_lint.program.lattice import container, element_of, join, join_all
from torch_compile_lint.program.transfer_index import subscript
from torch_compile_lint.program.transfer_kinds import (
    Keywords,
    build,
    class_of,
    every,
    int_of,
    length_of,
    listing,
    merged,
    source_of,
    sure,
    weakest,
    words,
)
from torch_compile_lint.program.transfer_ops import binary, iterate, truth, unary
from torch_compile_lint.program.values import (
    BOOL,
    FALSE,
    INT,
    NONE,
    TRUE,
    UNKNOWN,
    Api,
    Array,
    Atom,
    ClassRef,
    Container,
    Function,
    Instance,
    NoneAtom,
    Number,
    Opaque,
    Partial,
    PyModule,
    Size,
    Tensor,
    Text,
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


def _items(value: Value) -> tuple[Value, ...] | None:
    """The exact elements of a list, tuple or module list; None when its length is unknown."""
    if len(value.atoms) != 1:
        return None
    atom = value.atoms[0]
    if type(atom) is Container and atom.items is not None:
        if atom.kind == "dict":
            return None if atom.keys is None else tuple(constant(k) for k in atom.keys)
        return atom.items
    if type(atom) is Instance and atom.items is not None and not atom.symbol.endswith("ModuleDict"):
        return _items(atom.items)
    return None


def iterator(items: Args | None, element: Value) -> Value:
    """An iterator over exactly these, or over any number of ``element``."""
    return container("iterator", items) if items is not None else container("iterator", None, element)


# ---------------------------------------------------------------- numbers


@_handles("len")
def _len(args: Args, keywords: Keywords) -> Value:
    if not args:
        return INT
    length = length_of(args[0])
    if length is not None and not sure(args[0], Size):
        return constant(length)
    source = "shape" if any(type(a) in (Tensor, Size, Array) for a in args[0].atoms) else "python"
    return Value((Number("int", source, length),))


def _number(cls: str, fold: Callable[[object], object]) -> Handler:
    def handler(args: Args, keywords: Keywords) -> Value:
        if not args:
            return constant(fold(0))
        known = constant_of(args[0])
        if known is not None and isinstance(known[0], (int, float)) and abs(known[0]) < 1e15:
            return constant(fold(known[0]))
        if known is not None and isinstance(known[0], str) and known[0].isdecimal() and cls != "bool":
            return constant(fold(known[0]))
        if cls == "bool":
            decided = truth(args[0])
            if decided is not None:
                return TRUE if decided else FALSE
        return Value((Number(cls, source_of(*args)),), weakest(*args))

    return handler


HANDLERS["builtins.int"] = _number("int", lambda v: int(v))  # type: ignore[call-overload]
HANDLERS["builtins.float"] = _number("float", lambda v: float(v))  # type: ignore[arg-type]
HANDLERS["builtins.bool"] = _number("bool", lambda v: bool(v))
HANDLERS["builtins.complex"] = lambda args, keywords: Value((Number("complex", source_of(*args)),))


@_handles("abs")
def _abs(args: Args, keywords: Keywords) -> Value | None:
    if not args:
        return None
    known = constant_of(args[0])
    if known is not None and isinstance(known[0], (int, float)):
        return constant(abs(known[0]))
    return unary("+", args[0])


@_handles("round")
def _round(args: Args, keywords: Keywords) -> Value | None:
    if not args:
        return None
    if sure(args[0], Number):
        return Value((Number("int" if len(args) == 1 else class_of(args[0]), source_of(args[0])),))
    return unary("+", args[0])


@_handles("pow")
def _pow(args: Args, keywords: Keywords) -> Value | None:
    return binary("**", args[0], args[1]) if len(args) > 1 else None


@_handles("divmod")
def _divmod(args: Args, keywords: Keywords) -> Value | None:
    return listing("tuple", binary("//", *args), binary("%", *args)) if len(args) == 2 else None


@_handles("max", "min")
def _extreme(args: Args, keywords: Keywords) -> Value | None:
    given = args
    if len(args) == 1:
        items = _items(args[0])
        given = items if items is not None else (iterate(args[0]),)
    if "default" in keywords:
        given = (*given, keywords["default"])
    if any(type(a) is Tensor for g in given for a in g.atoms) and all(sure(g, Tensor, Number) for g in given):
        # Python compares and hands back one of them; with a tensor among them Dynamo makes
        # torch.maximum of it.
        return build(Tensor(), *given)
    if given and all(sure(g, Number) for g in given):
        source = source_of(*given)
        classes = {class_of(g) for g in given}
        return Value((Number(classes.pop() if len(classes) == 1 else None, source),))
    return merged(given)


@_handles("sum")
def _sum(args: Args, keywords: Keywords) -> Value | None:
    if not args:
        return None
    start = args[1] if len(args) > 1 else keywords.get("start", constant(0))
    items = _items(args[0])
    if items is not None and len(items) <= 32:
        out = start
        for item in items:
            out = binary("+", out, item)
        return out
    element = iterate(args[0])
    if not element.atoms:
        return start
    if any(type(a) is Tensor for a in element.atoms):
        # An empty list would leave the start: nobody sums tensors for that.
        return binary("+", start, element)
    if sure(element, Number):
        return Value((Number(class_of(element), source_of(element)),))
    return UNKNOWN


@_handles("any", "all")
def _any(args: Args, keywords: Keywords) -> Value:
    element = iterate(args[0]) if args else UNKNOWN
    return Value((Number("bool", source_of(element) if element.atoms else "python"),))


# ---------------------------------------------------------------- questions

_TYPE_OF: dict[type, tuple[str, ...]] = {
    Tensor: ("torch.Tensor",),
    Text: ("builtins.str",),
    Size: ("torch.Size", "builtins.tuple"),
    Array: ("numpy.ndarray",),
    NoneAtom: ("builtins.NoneType", "types.NoneType"),
}
_CONTAINER_TYPES = {
    "list": ("builtins.list",),
    "tuple": ("builtins.tuple",),
    "dict": ("builtins.dict",),
    "set": ("builtins.set", "builtins.frozenset"),
}
_ABSTRACT = {
    "collections.abc.Sequence": ("list", "tuple"),
    "typing.Sequence": ("list", "tuple"),
    "collections.abc.Iterable": ("list", "tuple", "dict", "set"),
    "typing.Iterable": ("list", "tuple", "dict", "set"),
    "collections.abc.Mapping": ("dict",),
    "typing.Mapping": ("dict",),
    "typing.List": ("list",),
    "typing.Tuple": ("tuple",),
    "typing.Dict": ("dict",),
}
_PLAIN = words(
    "builtins.str builtins.int builtins.float builtins.bool builtins.list builtins.tuple builtins.dict"
    " builtins.set builtins.complex builtins.bytes torch.Tensor torch.Size numpy.ndarray builtins.NoneType"
)


@_handles("isinstance")
def _isinstance(args: Args, keywords: Keywords) -> Value:
    if len(args) != 2:
        return BOOL
    classes = _class_names(args[1])
    if classes is None:
        return BOOL
    answers = {_is_a(atom, classes) for atom in args[0].atoms}
    answer = answers.pop() if len(answers) == 1 else None
    return BOOL if answer is None else constant(answer)


def _class_names(value: Value) -> list[str] | None:
    """The dotted names of a class or tuple of classes; None when not all are known."""
    if len(value.atoms) != 1:
        return None
    atom = value.atoms[0]
    if type(atom) is Container and atom.items is not None:
        out: list[str] = []
        for item in atom.items:
            names = _class_names(item)
            if names is None:
                return None
            out.extend(names)
        return out
    if type(atom) is Api or type(atom) is ClassRef:
        return [atom.symbol]
    return None


def _is_a(atom: Atom, classes: list[str]) -> bool | None:
    """Whether an atom is an instance of one of the classes; None when its kind does not tell."""
    kind = type(atom)
    mine: tuple[str, ...] = _TYPE_OF.get(kind, ())
    if type(atom) is Container:
        mine = _CONTAINER_TYPES.get(atom.kind, ())
        if any(atom.kind in _ABSTRACT.get(c, ()) for c in classes):
            return True
    elif type(atom) is Number:
        if atom.type is None:
            return None
        mine = ("builtins.bool", "builtins.int") if atom.type == "bool" else ("builtins." + atom.type,)
        if any(c.startswith("numbers.") for c in classes):
            return True
        if atom.source == "shape" and any(c.startswith("torch.Sym") for c in classes):
            return None
    if not mine:
        return None
    if any(c in mine for c in classes):
        return None if kind is Container and mine[0] == "builtins.set" else True
    # A tensor may be of any subclass (Parameter, a user's own); plain classes exclude it.
    plain = all(c in _PLAIN for c in classes)
    return (
        False
        if plain and kind is not Container
        else (False if plain and not _related(mine, classes) else None)
    )


def _related(mine: tuple[str, ...], classes: list[str]) -> bool:
    """torch.Size is a tuple: a tuple from anywhere may be one."""
    return "builtins.tuple" in mine and "torch.Size" in classes


@_handles("issubclass", "hasattr")
def _question(args: Args, keywords: Keywords) -> Value:
    return BOOL


@_handles("callable")
def _callable(args: Args, keywords: Keywords) -> Value:
    if args and sure(args[0], Function, ClassRef, Api, Partial):
        return TRUE
    if args and sure(args[0], Tensor, Number, Text, NoneAtom, Size, Container, PyModule):
        return FALSE
    return BOOL


@_handles("type")
def _type(args: Args, keywords: Keywords) -> Value | None:
    if len(args) != 1 or len(args[0].atoms) != 1:
        return Value((Opaque("type"),))
    atom = args[0].atoms[0]
    if type(atom) is Instance:
        return Value((ClassRef(atom.symbol),))
    if type(atom) is Number and atom.type is not None:
        return Value((Api("builtins." + atom.type),))
    if type(atom) is Text:
        return Value((Api("builtins.str"),))
    return Value((Opaque("type"),))


# ---------------------------------------------------------------- sequences


@_handles("range")
def _range(args: Args, keywords: Keywords) -> Value:
    bounds = [int_of(a) for a in args]
    if args and None not in bounds and 0 not in bounds[2:]:
        numbers = range(*[b for b in bounds if b is not None])
        if len(numbers) <= 16:
            return container("iterator", tuple(constant(n) for n in numbers))
    return container("iterator", None, Value((Number("int", source_of(*args)),)))


@_handles("enumerate")
def _enumerate(args: Args, keywords: Keywords) -> Value | None:
    if not args:
        return None
    start = int_of(args[1] if len(args) > 1 else keywords.get("start", constant(0)))
    items = _items(args[0])
    if items is not None and start is not None:
        pairs = tuple(listing("tuple", constant(start + i), item) for i, item in enumerate(items))
        return iterator(pairs, UNKNOWN)
    element = iterate(args[0])
    return iterator(None, listing("tuple", INT, element)) if element.atoms else iterator((), UNKNOWN)


@_handles("zip")
def _zip(args: Args, keywords: Keywords) -> Value | None:
    columns = [_items(a) for a in args]
    exact = [c for c in columns if c is not None]
    if args and len(exact) == len(args):
        return iterator(tuple(listing("tuple", *row) for row in zip(*exact, strict=False)), UNKNOWN)
    elements = [iterate(a) for a in args]
    if any(not e.atoms for e in elements):
        return iterator((), UNKNOWN)
    return iterator(None, listing("tuple", *elements))


@_handles("map")
def _map(args: Args, keywords: Keywords) -> Value:
    if args and len(args[0].atoms) == 1:
        called = args[0].atoms[0]
        handler = HANDLERS.get(called.symbol) if type(called) is Api else None
        if handler is not None and len(args) == 2:
            return iterator(None, handler((iterate(args[1]),), {}) or UNKNOWN)
    return every("iterator", UNKNOWN)


@_handles("filter")
def _filter(args: Args, keywords: Keywords) -> Value | None:
    return every("iterator", iterate(args[1])) if len(args) > 1 else None


@_handles("sorted")
def _sorted(args: Args, keywords: Keywords) -> Value | None:
    return container("list", None, iterate(args[0])) if args else None


@_handles("reversed")
def _reversed(args: Args, keywords: Keywords) -> Value | None:
    if not args:
        return None
    items = _items(args[0])
    return iterator(None if items is None else items[::-1], iterate(args[0]))


@_handles("iter")
def _iter(args: Args, keywords: Keywords) -> Value | None:
    return iterator(_items(args[0]), iterate(args[0])) if len(args) == 1 else None


@_handles("next")
def _next(args: Args, keywords: Keywords) -> Value | None:
    if not args:
        return None
    element = iterate(args[0])
    out = join(element, args[1]) if len(args) > 1 else element
    return out if out.atoms else UNKNOWN


def _sequence(kind: str) -> Handler:
    def handler(args: Args, keywords: Keywords) -> Value:
        if not args:
            return container(kind, ())
        items = _items(args[0])
        if items is not None and kind != "set":
            return container(kind, items)
        return container(kind, None, iterate(args[0]))

    return handler


for _kind in ("list", "tuple", "set"):
    HANDLERS["builtins." + _kind] = _sequence(_kind)
HANDLERS["builtins.frozenset"] = _sequence("set")


@_handles("dict")
def _dict(args: Args, keywords: Keywords) -> Value:
    if not args:
        return container("dict", tuple(keywords.values()), None, tuple(keywords))
    if len(args[0].atoms) == 1:
        atom = args[0].atoms[0]
        if type(atom) is Container and atom.kind == "dict":
            if atom.keys is not None and atom.items is not None:
                table: dict[object, Value] = dict(zip(atom.keys, atom.items, strict=True))
                table.update(keywords)
                return container("dict", tuple(table.values()), None, tuple(table))
            return container("dict", None, join_all([element_of(atom), *keywords.values()]))
        pair = iterate(args[0])
        return container("dict", None, subscript(pair, constant(1)) if pair.atoms else UNKNOWN)
    return container("dict", None, UNKNOWN)


@_handles("slice")
def _slice(args: Args, keywords: Keywords) -> Value:
    parts = (NONE, *args, NONE) if len(args) == 1 else (*args, NONE, NONE, NONE)[:3]
    return Value((Container("slice", tuple(parts)),))


@_handles("getattr")
def _getattr(args: Args, keywords: Keywords) -> Value | None:
    """getattr on what cannot have it, with a default (the interpreter does the rest)."""
    if len(args) == 3 and sure(args[0], NoneAtom, Number, Text):
        return args[2]
    return None

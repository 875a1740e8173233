"""Attributes of the program's classes and their instances, from the sketches of the index.

``self.x`` is the join of everything any method of the class or of a base stores there, each
evaluated in the scope of its method: parameters by annotation or default, locals without
regard to order. Constants are forgotten (users set flags), and an attribute that is None
wherever we look may be something else at run time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch_compile_lint.facts import ir
from torch_compile_lint.model import Confidence
from torch_compile_lint.program import transfer
from torch_compile_lint.program.arguments import Arguments
from torch_compile_lint.program.calls import CONTAINERS, children_value
from torch_compile_lint.program.frame import Frame
from torch_compile_lint.program.lattice import join
from torch_compile_lint.program.sketches import MethodScope, combine
from torch_compile_lint.program.symbols import MethodRef
from torch_compile_lint.program.tree import dotted
from torch_compile_lint.program.values import (
    NEVER,
    TEXT,
    UNKNOWN,
    Api,
    ClassRef,
    Function,
    Instance,
    NoneAtom,
    Tensor,
    Value,
    at_most,
    because,
    opaque,
)

if TYPE_CHECKING:
    from torch_compile_lint.program.infer import Analyzer

_RECORDS = ("builtins.tuple", "typing.NamedTuple", "collections.OrderedDict", "builtins.dict")
Deps = set[tuple[str, str, str]]


class Attributes:
    """Look-ups on classes, memoised for the whole run: they depend on nothing but the program."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self._stored: dict[tuple[str, str], tuple[Value | None, Deps]] = {}
        self._open: list[tuple[str, str]] = []
        self._cut = 1 << 30  # the outermost open look-up that a cycle ran into
        self._scopes: dict[tuple[str, str, str], MethodScope] = {}
        self._fields: dict[str, tuple[str, ...]] = {}

    # ------------------------------------------------------------ methods

    def _ref(self, symbol: str, name: str, after: str | None = None) -> MethodRef | None:
        self._analyzer.names.mro(symbol)
        ref: MethodRef | None = self._analyzer.program.classes.find_method(symbol, name, after)
        return ref

    def method(self, symbol: str, name: str, receiver: Value | None) -> Function | None:
        """The method ``name`` of a class, bound to ``receiver`` where it takes one."""
        ref = self._ref(symbol, name)
        return None if ref is None else self._bound(ref, symbol, receiver)

    def _bound(self, ref: MethodRef, symbol: str, receiver: Value | None) -> Function:
        if ref.kind == "static":
            return Function(ref.path, ref.qualname)
        if ref.kind == "class":
            return Function(ref.path, ref.qualname, Value((ClassRef(symbol),)))
        return Function(ref.path, ref.qualname, receiver)

    def _value_of_method(self, frame: Frame, ref: MethodRef, symbol: str, receiver: Value) -> Value:
        function = self._bound(ref, symbol, receiver)
        if ref.kind in ("property", "cached-property"):
            return self._analyzer.call(frame, function, Arguments(), None)
        return Value((function,))

    # ------------------------------------------------------------ look-ups

    def of_instance(self, frame: Frame, value: Value, atom: Instance, name: str) -> Value:
        """``instance.name``."""
        symbol = atom.symbol
        if name == "__class__":
            return Value((ClassRef(symbol),))
        if name == "__call__" and atom.module:
            return value
        if name == "__dict__":
            return opaque("attributes")
        stored = self.stored(symbol, name)
        ref = self._ref(symbol, name)
        if ref is not None:
            found = self._value_of_method(frame, ref, symbol, value)
            return found if stored is None or ref.kind != "method" else join(found, stored)
        if stored is not None:
            return stored
        nested = self._analyzer.program.classes.nested(symbol, name)
        if nested is not None:
            return Value((ClassRef(nested),))
        if self._ref(symbol, "__getattr__") is not None:
            return UNKNOWN
        base = self._analyzer.external_base(symbol)
        if base is not None:
            out = transfer.attribute(Value((Instance(base, atom.module, atom.items),)), name)
            if len(out.atoms) != 1 or type(out.atoms[0]) is not Api or atom.module:
                return out
            return out if base.startswith("torch.") else UNKNOWN
        return opaque("config") if symbol.endswith("Config") else UNKNOWN

    def of_class(self, frame: Frame, atom: ClassRef, name: str) -> Value:
        """``Class.name``."""
        symbol = atom.symbol
        if name in ("__name__", "__qualname__", "__module__", "__doc__"):
            return TEXT
        if name == "apply" and self._analyzer.program.classes.is_autograd_function(symbol):
            return Value((Api("torch.autograd.Function.apply", Value((atom,))),))
        ref = self._ref(symbol, name)
        if ref is not None:
            return Value((self._bound(ref, symbol, None),))
        if self._analyzer.names.is_enum(symbol):
            return opaque("enum")
        stored = self.stored(symbol, name)
        if stored is not None:
            return stored
        nested = self._analyzer.program.classes.nested(symbol, name)
        return UNKNOWN if nested is None else Value((ClassRef(nested),))

    def after(self, frame: Frame, symbol: str, owner: str, receiver: Value, name: str) -> Value:
        """``super().name`` in a method of ``owner``, on an instance of ``symbol``."""
        ref = self._ref(symbol, name, owner)
        if ref is not None:
            return self._value_of_method(frame, ref, symbol, receiver)
        stored = self.stored(symbol, name)
        if stored is not None:
            return stored
        base = self._analyzer.external_base(symbol)
        if base is None:
            return UNKNOWN
        module = self._analyzer.is_module_class(symbol)
        if name == "forward" and module:
            held = [a.items for a in receiver.atoms if type(a) is Instance]
            return Value((Instance(base, True, held[0] if held else None),))
        return transfer.attribute(Value((Instance(base, module),)), name)

    # ------------------------------------------------------------ stored attributes

    def stored(self, symbol: str, name: str) -> Value | None:
        """What is stored under an attribute; None when nothing is."""
        key = (symbol, name)
        known = self._stored.get(key)
        if known is not None:
            self._analyzer.deps |= known[1]
            return known[0]
        if key in self._open:
            self._cut = min(self._cut, self._open.index(key))
            self._analyzer.cuts += 1
            return NEVER
        depth = len(self._open)
        self._open.append(key)
        try:
            unknown: Value | None = UNKNOWN
            value, deps = self._analyzer.collecting(
                lambda: self._analyzer.quietly(lambda: self._evaluate(symbol, name), unknown)
            )
        finally:
            self._open.pop()
        if value is not None and not value.atoms:
            value = UNKNOWN
        if self._cut >= depth:
            # Complete, or a cycle through itself only; what rests on an outer look-up is not kept.
            self._stored[key] = (value, deps)
            self._cut = 1 << 30
        return value

    def _evaluate(self, symbol: str, name: str) -> Value | None:
        self._analyzer.names.mro(symbol)
        sketches = self._analyzer.program.classes.attribute_sketches(symbol, name)
        if not sketches:
            return None
        value = combine(self._analyzer, self, symbol, sketches)
        if value.atoms and all(type(a) is NoneAtom for a in value.atoms):
            # A guess: whoever uses the class may set it, so nothing is pruned by it.
            return at_most(value, Confidence.LIKELY)
        if any(type(a) is Tensor for a in value.atoms):
            value = because(value, f"`self.{name}` holds a tensor")
        return value

    def scope(self, symbol: str, path: str, owner: str, method: str) -> MethodScope:
        """The names a method's sketches may use."""
        key = (symbol, path, method)
        found = self._scopes.get(key)
        if found is None:
            info = self._analyzer.class_info(owner)
            found = self._scopes[key] = MethodScope(self._analyzer, symbol, path, info, method)
        return found

    # ------------------------------------------------------------ construction

    def constructed(self, frame: Frame, symbol: str, given: Arguments) -> Value | None:
        """The instance of a program's class where it is more than its class says; else None."""
        order = self._analyzer.names.mro(symbol)
        if "torch.Tensor" in order:
            return self._analyzer.value_of_class(symbol)
        if self._analyzer.names.is_enum(symbol):
            return opaque("enum")
        base = next((b for b in order if b in CONTAINERS), None)
        if base is None:
            return None
        init = self._ref(symbol, "__init__")
        if init is None:
            items: Value | None = children_value(frame, base, given)
        else:
            items = self.stored(symbol, "<children>")
        return Value((Instance(symbol, True, items),))

    def constructed_alone(self, symbol: str) -> Value | None:
        """An instance as ``self`` of a root: with its children, where it is a container module."""
        order = self._analyzer.names.mro(symbol)
        if any(b in CONTAINERS for b in order):
            return Value((Instance(symbol, True, self.stored(symbol, "<children>")),))
        return None

    def initializer(self, symbol: str, receiver: Value) -> tuple[str, Function | None]:
        """The code of the program that runs when an instance is made, and its method's name.

        A dataclass has an ``__init__`` of its own that calls ``__post_init__``; of those that are
        dicts (transformers' ModelOutput) Dynamo models the construction itself.
        """
        order = self._analyzer.names.mro(symbol)
        init = self._ref(symbol, "__init__")
        for base in order:
            if init is not None and base == init.owner:
                return "__init__", self._bound(init, symbol, receiver)
            info = self._analyzer.class_info(base)
            if info is not None and any(self._is_dataclass(info.path, d) for d in info.index.decorators):
                if any(b in _RECORDS for b in order):
                    return "__post_init__", None
                return "__post_init__", self.method(symbol, "__post_init__", receiver)
        return "__init__", None

    def _is_dataclass(self, path: str, decorator: ir.Expr) -> bool:
        expr = decorator.func if type(decorator) is ir.Call else decorator
        name = dotted(expr)
        if name is None:
            return False
        return self._analyzer.resolve_type(path, name)[0] == "dataclasses.dataclass"

    def is_record(self, symbol: str) -> bool:
        """True for dataclasses, named tuples and dict-like outputs whose fields are annotated."""
        order = self._analyzer.names.mro(symbol)
        if any(b in _RECORDS for b in order):
            return True
        for base in order:
            info = self._analyzer.class_info(base)
            if info is not None and info.index.decorators:
                return True
        return False

    def record_fields(self, symbol: str) -> tuple[str, ...]:
        """Names of the annotated fields, in order."""
        known = self._fields.get(symbol)
        if known is None:
            names: dict[str, None] = {}
            for base in reversed(self._analyzer.names.mro(symbol)):
                info = self._analyzer.class_info(base)
                if info is not None:
                    for sketch in info.index.attributes:
                        if not sketch.method and sketch.annotation is not None:
                            names[sketch.name] = None
            known = self._fields[symbol] = tuple(names)
        return known


__all__ = ["Attributes"]

"""Evaluating what methods store on ``self``: the scope of a sketch, and joining sketches.

A sketch's expression is evaluated with the parameters and locals of its method by name. A
parameter is what its annotation says, else what its default is (likely, and never the
constant itself: callers pass others).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch_compile_lint.facts import ir
from torch_compile_lint.facts.index_ir import AttributeSketch, LocalSketch
from torch_compile_lint.model import Confidence
from torch_compile_lint.program import transfer
from torch_compile_lint.program.calls import CONTAINERS, children_value, iterate
from torch_compile_lint.program.evaluate import arguments
from torch_compile_lint.program.frame import Frame
from torch_compile_lint.program.lattice import container, element_of, join, join_all, without_constants
from torch_compile_lint.program.symbols import ClassInfo
from torch_compile_lint.program.values import (
    NEVER,
    NONE,
    UNKNOWN,
    Container,
    Instance,
    NoneAtom,
    Origin,
    Tensor,
    Unknown,
    Value,
    at_most,
    constant,
    is_none,
    is_unknown,
)

if TYPE_CHECKING:
    from torch_compile_lint.program.attributes import Attributes
    from torch_compile_lint.program.infer import Analyzer


class MethodScope:
    """Names of one method (or of a class body, method '') on instances of one class."""

    def __init__(
        self, analyzer: Analyzer, symbol: str, path: str, info: ClassInfo | None, method: str
    ) -> None:
        self._analyzer = analyzer
        self._symbol = symbol
        self._path = path
        self._info = info
        self._method = method
        self._known: dict[str, Value | None] = {}
        self._open: set[str] = set()
        self._locals: dict[str, list[LocalSketch]] = {}
        self._params: dict[str, ir.Param] = {}
        self._first: str | None = None
        if info is not None and method:
            for sketch in info.index.locals.get(method, ()):
                self._locals.setdefault(sketch.name, []).append(sketch)
            function = analyzer.names.function_index(path, method)
            if function is not None:
                self._params = {p.name: p for p in function.params}
                if function.params:
                    self._first = function.params[0].name

    def lookup(self, name: str) -> Value | None:
        """The value of a name; None when it is none of the method's own."""
        if name in self._known:
            return self._known[name]
        if name in self._open:
            self._analyzer.cuts += 1
            return NEVER
        self._open.add(name)
        try:
            value = self._find(name)
        finally:
            self._open.discard(name)
        if value is None or value.atoms:
            self._known[name] = value
        return value

    def _find(self, name: str) -> Value | None:
        if name == self._first and self._params:
            module = self._analyzer.is_module_class(self._symbol)
            return Value((Instance(self._symbol, module),))
        param = self._params.get(name)
        parts = [] if param is None else [parameter_guess(self._analyzer, self._path, param)]
        stores = self._locals.get(name, ())
        grown: list[Value] = []
        changes: list[tuple[str, Value]] = []
        for sketch in stores:
            if sketch.op and sketch.op[-1] == "=":
                value = self.evaluate(sketch.value, "")
                if sketch.op == "+=" and any(type(a) is Container for a in value.atoms):
                    grown.append(_elements(value))
                else:
                    changes.append((sketch.op[:-1], value))
            elif sketch.op not in _GROWING:
                parts.append(self.evaluate(sketch.value, sketch.op))
        if not parts and not stores:
            return self._class_level(name) if not self._method else None
        value = changed(join_all(parts), changes)
        # Growth is added once the thing that grows is known.
        grown += [self.evaluate(s.value, s.op) for s in stores if s.op in _GROWING]
        return grow(value, [g for g in grown if g.atoms])

    def _class_level(self, name: str) -> Value | None:
        """A name of the class body, used in the class body."""
        if self._info is None:
            return None
        parts = []
        for sketch in self._info.index.attributes:
            if sketch.name == name and not sketch.method and sketch.value is not None:
                parts.append(self.evaluate(sketch.value, ""))
        return join_all(parts) if parts else None

    def evaluate(self, expr: ir.Expr | None, op: str) -> Value:
        """The value a store gives to its name (for growing stores: the new element)."""
        if expr is None:
            return UNKNOWN
        value = self._analyzer.sketch(self._path, expr, self.lookup)
        if not value.atoms:
            return NEVER
        if op.startswith("for"):
            value = _iterated(self._analyzer, self._path, value)
            for step in _steps(op[3:]):
                if value.atoms:
                    value = transfer.subscript(value, constant(step))
            return value
        if op == "with":
            held = [element_of(a) for a in value.atoms if type(a) is Container and a.kind == "iterator"]
            return join_all(held) if held else UNKNOWN
        if op in ("extend", "update"):
            return _iterated(self._analyzer, self._path, value)
        return value


_GROWING = frozenset({"append", "extend", "insert", "setitem", "update"})


def _steps(path: str) -> list[int]:
    return [int(p) for p in path.strip("[]").split("][") if p]


def _iterated(analyzer: Analyzer, path: str, value: Value) -> Value:
    parts = []
    for atom in value.atoms:
        if type(atom) is Container:
            parts.append(element_of(atom))
        else:
            parts.append(iterate(Frame(analyzer, path), Value((atom,), value.confidence)))
    return join_all(parts)


def _elements(value: Value) -> Value:
    return join_all([element_of(a) for a in value.atoms if type(a) is Container])


def grow(value: Value, added: list[Value]) -> Value:
    """A container (or container module) with more elements of these kinds."""
    if not added:
        return value
    more = join_all(added)
    parts = []
    for atom in value.atoms:
        if type(atom) is Container:
            parts.append(container(atom.kind, None, join(element_of(atom), more)))
        elif type(atom) is Instance and atom.module:
            held = [a for a in atom.items.atoms if type(a) is Container] if atom.items is not None else []
            kind = held[0].kind if held else "list"
            old = join_all([element_of(h) for h in held])
            items = container(kind, None, join(old, more))
            parts.append(Value((Instance(atom.symbol, True, items),)))
        else:
            parts.append(Value((atom,), value.confidence, value.origin))
    return join_all(parts)


def parameter_guess(analyzer: Analyzer, path: str, param: ir.Param) -> Value:
    """What a parameter of a method nobody calls under our eyes may be."""
    said = UNKNOWN
    if param.annotation is not None:
        said = analyzer.annotation(path, param.annotation)
    if param.kind == "var-positional":
        return container("tuple", None, said)
    if param.kind == "var-keyword":
        return container("dict", None, said)
    if not is_unknown(said):
        if param.default is not None and type(param.default) is ir.Const and param.default.value is None:
            return join(said, NONE)
        return said
    if param.default is None:
        return UNKNOWN
    default = without_constants(analyzer.sketch(path, param.default))
    if not default.atoms or is_none(default):
        return Value((*NONE.atoms, Unknown()), Confidence.LIKELY)
    return at_most(default, Confidence.LIKELY)


def combine(
    analyzer: Analyzer,
    attributes: Attributes,
    symbol: str,
    sketches: tuple[tuple[ClassInfo, AttributeSketch], ...],
) -> Value:
    """The join of everything stored under one attribute."""
    parts: list[Value] = []
    added: list[Value] = []
    changes: list[tuple[str, Value]] = []
    said = NEVER
    for info, sketch in sketches:
        scope = attributes.scope(symbol, info.path, info.symbol, sketch.method)
        if sketch.annotation is not None:
            described = analyzer.annotation(info.path, sketch.annotation)
            if not is_unknown(described):
                said = join(said, described)
        if sketch.value is None:
            continue
        if sketch.op == "children":
            parts.append(_children(analyzer, scope, symbol, info.path, sketch.value))
            continue
        value = scope.evaluate(sketch.value, sketch.op)
        if sketch.op in _GROWING:
            added.append(value)
            continue
        if sketch.op in ("register_buffer", "register_parameter"):
            value = _registered(value, sketch)
        elif sketch.op and sketch.op[-1] == "=":
            if not is_unknown(value):  # of `self.n += step` the plain store says what it is
                changes.append((sketch.op[:-1], value))
            continue
        parts.append(value)
    value = without_constants(changed(join_all(parts), changes))
    if said.atoms and (not value.atoms or is_unknown(value) or is_none(value)):
        # The annotation knows better than a placeholder.
        value = join(said, NONE) if is_none(value) else said
    elif said.atoms and any(type(a) is Tensor for a in said.atoms) and is_none(value):
        value = join(said, value)
    added = [a for a in added if a.atoms]
    if added and not value.atoms:
        children = sketches[0][1].name == "<children>"
        return container("list", None, join_all(added)) if children else UNKNOWN
    return grow(value, added)


def changed(value: Value, changes: list[tuple[str, Value]]) -> Value:
    """What plain stores give, after the augmented ones (operator, operand): a tensor stays one."""
    held = any(type(a) is Tensor for a in value.atoms)
    for op, operand in changes:
        value = join(value, transfer.binary(op, value, operand) if held else operand)
    return value


def _children(analyzer: Analyzer, scope: MethodScope, symbol: str, path: str, expr: ir.Expr) -> Value:
    """The children a container module's ``__init__`` hands to its base."""
    base = next((b for b in analyzer.names.mro(symbol) if b in CONTAINERS), None)
    if base is None or type(expr) is not ir.Call:
        return UNKNOWN
    frame = Frame(analyzer, path, lookup=scope.lookup)
    given = analyzer.quietly(lambda: arguments(frame, {}, expr), None)
    return UNKNOWN if given is None else children_value(frame, base, given)


def _registered(value: Value, sketch: AttributeSketch) -> Value:
    """A buffer or parameter is a tensor, or None."""
    what = "buffer" if sketch.op == "register_buffer" else "parameter"
    origin = Origin(f"`self.{sketch.name}` is a {what}")
    if any(type(a) is Tensor for a in value.atoms) or is_none(value):
        return Value(value.atoms, value.confidence, origin)
    if any(type(a) is NoneAtom for a in value.atoms):
        return join(NONE, Value((Tensor(),), Confidence.LIKELY, origin))
    return Value((Tensor(),), Confidence.LIKELY, origin)

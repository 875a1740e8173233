"""Functions as the analyzer needs them: where they stand, what they capture, what is said of them.

A unit-level function is found through the index of its file. A nested function or lambda is
made when its definition is executed: it captures the values its free names have then, and
``Function.closure`` is a digest of what it captured, so that equal closures are one.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from torch_compile_lint.facts import ir
from torch_compile_lint.facts.index_ir import FunctionIndex
from torch_compile_lint.model import Confidence
from torch_compile_lint.program import calls
from torch_compile_lint.program.arguments import Arguments
from torch_compile_lint.program.cuts import CUTS, OPERATORS
from torch_compile_lint.program.evaluate import evaluate
from torch_compile_lint.program.frame import Frame, State
from torch_compile_lint.program.function_view import outline
from torch_compile_lint.program.lattice import container, signature
from torch_compile_lint.program.symbols import FunctionSymbol
from torch_compile_lint.program.tree import dotted, nested_functions, walk
from torch_compile_lint.program.values import (
    UNKNOWN,
    Function,
    Origin,
    Value,
    at_most,
    is_unknown,
    may_be_tensor,
)
from torch_compile_lint.records import dataclass, field

if TYPE_CHECKING:
    from torch_compile_lint.program.infer import Analyzer

# ``Function.closure`` of a decorated function as its decorator is given it.
UNDECORATED = -1

_MARKED_CONSTANT = "_dynamo_marked_constant"


@dataclass(slots=True, eq=False)
class Found:
    """One function of the program."""

    path: str
    unit: str | None
    qualname: str
    params: tuple[ir.Param, ...]
    returns: ir.Expr | None
    owner: str | None  # symbol of its class
    receives: bool  # its first parameter is self or cls
    cut: bool  # never traced: disabled, or an operator of its own
    wrapped: bool  # under a decorator nobody knows
    is_generator: bool
    facts: ir.FunctionFacts | None = None
    captured: State = field(default_factory=dict)
    self_value: Value | None = None
    defaults: dict[str, Value] = field(default_factory=dict)
    said: Value | None = None
    parameters_said: dict[str, Value] = field(default_factory=dict)
    uses: dict[str, Value] = field(default_factory=dict)
    decorators: tuple[ir.Expr, ...] = ()
    wrapper: Function | None = None
    wrapper_deps: set[tuple[str, str, str]] | None = None
    marks: tuple[str, ...] = ()  # canonical names of its decorators


class Closures:
    """The functions met so far."""

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self._found: dict[tuple[str, str], Found | None] = {}
        # Those of module level and __init__ live on in attributes, the others with their file.
        self._made: dict[tuple[str, str, int], Found] = {}
        self._made_quietly: dict[tuple[str, str, int], Found] = {}
        self._rebinds: dict[int, tuple[ir.FunctionFacts, frozenset[str]]] = {}

    def find(self, function: Function) -> Found | None:
        """The function, or None when its file is not part of the program."""
        if function.closure > 0:
            key = (function.path, function.qualname, function.closure)
            made = self._made.get(key)
            return self._made_quietly.get(key) if made is None else made
        return self.unit(function.path, function.qualname)

    def unit(self, path: str, qualname: str) -> Found | None:
        """A unit-level function."""
        self._analyzer.need_index(path)
        key = (path, qualname)
        if key not in self._found:
            index = self._analyzer.names.function_index(path, qualname)
            self._found[key] = None if index is None else self._from_index(path, index)
        return self._found[key]

    def _from_index(self, path: str, index: FunctionIndex) -> Found:
        marks = [self._mark(path, d) for d in index.decorators]
        static = "builtins.staticmethod" in marks
        owner = None if index.owner is None else self._analyzer.names.class_symbol(path, index.owner)
        return Found(
            path,
            index.qualname,
            index.qualname,
            index.params,
            index.returns,
            owner,
            owner is not None and not static and bool(index.params),
            any(m in CUTS or m in OPERATORS for m in marks),
            any(m not in _TRANSPARENT and not m.startswith(_TRANSPARENT_PREFIXES) for m in marks),
            index.is_generator,
            marks=tuple(marks),
            decorators=index.decorators,
        )

    def wrapper(self, found: Found) -> Function | None:
        """The function of the program that a decorator put around this one, if that is plain."""
        if not found.wrapped:
            return None
        if found.wrapper_deps is None:
            found.wrapper_deps = set()  # what a decorator that calls itself sees
            found.wrapper, found.wrapper_deps = self._analyzer.collecting(
                lambda: self._analyzer.quietly(lambda: self._decorate(found), None)
            )
        self._analyzer.deps |= found.wrapper_deps
        return found.wrapper

    def _decorate(self, found: Found) -> Function | None:
        analyzer = self._analyzer
        value = Value((Function(found.path, found.qualname, None, UNDECORATED),))
        frame = Frame(analyzer, found.path)
        for expr in reversed(found.decorators):
            decorator = evaluate(frame, {}, expr)
            if not decorator.atoms or not all(type(a) is Function for a in decorator.atoms):
                continue  # torch's own and Python's leave it as it is
            value = calls.call(frame, decorator, Arguments([value]), None)
        atom = value.atoms[0] if len(value.atoms) == 1 else None
        return atom if type(atom) is Function and atom.closure > 0 else None

    def _mark(self, path: str, decorator: ir.Expr) -> str:
        expr = decorator.func if type(decorator) is ir.Call else decorator
        name = dotted(expr)
        if name is None:
            return "?"
        symbol, _ = self._analyzer.resolve_type(path, name)
        if any(
            type(one) is FunctionSymbol and self._marks_constant(one)
            for one in self._analyzer.program.resolve_expr(path, expr)
        ):
            return "<constant>"
        if symbol is not None:
            return symbol
        last = name.rpartition(".")[2]
        return last if last in ("setter", "getter", "deleter") else "?"

    def _marks_constant(self, decorator: FunctionSymbol) -> bool:
        """Whether a decorator does by hand what torch.compiler.assume_constant_result does."""
        index = self._analyzer.names.function_index(decorator.path, decorator.qualname)
        if index is None or len(index.params) != 1:
            return False
        facts = self._analyzer.facts(decorator.path, decorator.qualname)
        if facts is None:
            return False
        kinds = outline(facts).by_kind
        named = any(type(c) is ir.Const and c.value == _MARKED_CONSTANT for c in kinds.get(ir.Const, ()))
        return named or any(
            type(a) is ir.Attribute and a.attr == _MARKED_CONSTANT for a in kinds.get(ir.Attribute, ())
        )

    def marks(self, path: str, index: FunctionIndex) -> list[str]:
        """Canonical names of a function's decorators ('?' where unknown)."""
        return [self._mark(path, d) for d in index.decorators]

    def load(self, found: Found) -> ir.FunctionFacts | None:
        """Its lowered facts."""
        if found.facts is None and found.unit is not None:
            found.facts = self._analyzer.facts(found.path, found.unit)
            if found.facts is not None and len(found.facts.params) != len(found.params):
                return None
        elif found.unit is not None:
            self._analyzer.deps.add(("facts", found.path, found.unit))
        return found.facts

    def made_as(self, path: str, qualname: str) -> Function | None:
        """A nested function that was made while evaluating code quietly, by its qualname."""
        for (where, name, closure), found in self._made_quietly.items():
            if where == path and found.facts is not None and found.facts.qualname == qualname:
                return Function(where, name, None, closure)
        return None

    def begin_file(self, forget_facts: bool) -> None:
        """Let go of what only the last file's roots needed."""
        self._made.clear()
        self._rebinds.clear()
        if forget_facts:
            for found in self._found.values():
                if found is not None:
                    found.facts = None

    # ------------------------------------------------------------ what is said

    def said(self, found: Found) -> Value:
        """The value its return annotation describes."""
        if found.said is None:
            value = UNKNOWN
            if found.returns is not None:
                value = self._analyzer.annotation(found.path, found.returns)
                if found.is_generator and not is_unknown(value):
                    value = value if any(type(a).__name__ == "Container" for a in value.atoms) else UNKNOWN
            found.said = at_most(value, Confidence.LIKELY) if found.wrapped else value
        return found.said

    def parameter_said(self, found: Found, param: ir.Param) -> Value:
        """The value a parameter's annotation describes."""
        value = found.parameters_said.get(param.name)
        if value is None:
            value = UNKNOWN
            if param.annotation is not None:
                value = _named(self._analyzer.annotation(found.path, param.annotation), param.name)
                if may_be_tensor(value) and _is_flag(param.default):
                    value = UNKNOWN  # `flag: Tensor | None = False` was copied from another parameter
                if param.kind == "var-positional":
                    value = container("tuple", None, value)
                elif param.kind == "var-keyword":
                    value = container("dict", None, value)
            found.parameters_said[param.name] = value
        return value

    def default(self, found: Found, param: ir.Param) -> Value:
        """The value a parameter has when a call leaves it out."""
        value = found.defaults.get(param.name)
        if value is None:
            value = UNKNOWN
            if param.default is not None:
                value = self._analyzer.sketch(found.path, param.default, found.captured.get)
            found.defaults[param.name] = value
        return value

    # ------------------------------------------------------------ nested functions

    def make(self, frame: Frame, state: State, facts: ir.FunctionFacts) -> Value:
        """The function object that executing a nested ``def`` or a lambda gives."""
        captured: State = {}
        for name in sorted(facts.free):
            value = state.get(name)
            if value is None:
                value = frame.captured.get(name)
            if value is None and frame.lookup is not None:
                value = frame.lookup(name)
            if value is not None:
                captured[name] = value
        if frame.lookup is not None:
            # A lambda of a sketch: its free names may be spelled as global ones.
            for name in sorted(_global_names(facts) - set(captured)):
                value = frame.lookup(name)
                if value is not None:
                    captured[name] = value
        rebound = self._rebound(facts)
        if rebound:
            frame.volatile = frame.volatile | rebound
        unit = frame.record.unit if frame.record is not None else None
        text = ";".join(f"{k}={signature(v)}" for k, v in captured.items())
        if frame.self_value is not None:
            text += f";self={signature(frame.self_value)}"
        closure = zlib.crc32(f"{facts.start}:{text}".encode()) or 1
        qualname = f"{facts.qualname or facts.name}@{facts.start}"
        key = (frame.path, qualname, closure)
        made = self._made_quietly if self._analyzer.quiet else self._made
        if key not in made:
            marks = tuple(self._mark(frame.path, d) for d in facts.decorators)
            found = Found(
                frame.path,
                unit,
                qualname,
                facts.params,
                facts.returns,
                frame.owner,
                False,
                any(mark in CUTS or mark in OPERATORS for mark in marks),
                False,
                facts.is_generator,
                facts,
                captured,
                frame.self_value,
                marks=marks,
            )
            self._defaults(frame, state, found)
            if type(facts.name) is str and facts.name in facts.free:
                captured[facts.name] = Value((Function(frame.path, qualname, None, closure),))
            made[key] = found
        return Value((Function(frame.path, qualname, None, closure),))

    def _defaults(self, frame: Frame, state: State, found: Found) -> None:
        table, frame.table = frame.table, None
        try:
            for param in found.params:
                if param.default is not None:
                    found.defaults[param.name] = evaluate(frame, state, param.default)
        finally:
            frame.table = table

    def _rebound(self, facts: ir.FunctionFacts) -> frozenset[str]:
        """Names of the enclosing function this one assigns (``nonlocal``)."""
        known = self._rebinds.get(id(facts))
        if known is not None:
            return known[1]
        names: set[str] = set()
        for node, _ in walk(facts):
            if type(node) is ir.Global and node.nonlocal_:
                names.update(node.names)
        for inner in nested_functions(facts):
            names |= self._rebound(inner)
        self._rebinds[id(facts)] = (facts, frozenset(names))
        return frozenset(names)


def _global_names(facts: ir.FunctionFacts) -> set[str]:
    return {node.name for node, _ in walk(facts) if type(node) is ir.Name and node.scope == "global"}


# Decorators that leave a function's behaviour as it is, as far as kinds go.
_TRANSPARENT = frozenset(
    {
        "builtins.staticmethod",
        "builtins.classmethod",
        "builtins.property",
        "functools.cached_property",
        "functools.wraps",
        "functools.lru_cache",
        "functools.cache",
        "contextlib.contextmanager",
        "abc.abstractmethod",
        "typing.overload",
        "typing.final",
        "typing.override",
        "typing_extensions.override",
        "typing_extensions.deprecated",
        "warnings.deprecated",
        "setter",
        "getter",
        "deleter",
    }
)
_TRANSPARENT_PREFIXES = ("torch.",)


def _named(value: Value, name: str) -> Value:
    """A value whose reason begins with the parameter's name, not with 'it'."""
    origin = value.origin
    if origin is None or not origin.text.startswith("it is "):
        return value
    return Value(value.atoms, value.confidence, Origin(f"`{name}`{origin.text[2:]}", origin.parent))


def _is_flag(default: ir.Expr | None) -> bool:
    """True for a default that no annotation as a tensor can be right about."""
    return isinstance(default, ir.Const) and isinstance(default.value, (bool, str))

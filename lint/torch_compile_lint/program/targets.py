"""What an expression around a compile call stands for: a module instance, a function, a compiler.

A small evaluator over sketches, just enough to see what `torch.compile` is given: it follows
names, attributes of instances, locals of the scope, constructor calls and the few calls that
return their receiver. What it does not follow is simply not found.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from torch_compile_lint.facts import ir
from torch_compile_lint.facts.index_ir import FunctionIndex, LocalSketch
from torch_compile_lint.program.link import Program
from torch_compile_lint.program.symbols import (
    ClassSymbol,
    ExternalSymbol,
    FunctionSymbol,
    Symbol,
    VariableSymbol,
)
from torch_compile_lint.records import dataclass, field

COMPILERS = frozenset(("torch.compile",))
# Called with options (or a backend) they give something that compiles.
COMPILER_FACTORIES = frozenset(("torch._dynamo.optimize", "torch._dynamo.optimize_assert"))
DISABLERS = frozenset(("torch.compiler.disable", "torch._dynamo.disable", "torch._disable_dynamo"))
_SAME = frozenset(
    (
        "copy.deepcopy",
        "copy.copy",
        "functools.partial",
        "torch.nn.DataParallel",
        "torch.nn.parallel.DistributedDataParallel",
        "torch.distributed.fsdp.FullyShardedDataParallel",
    )
)
_CONTAINERS = frozenset(("torch.nn.Sequential", "torch.nn.ModuleList"))
_CHAINED = frozenset(
    (
        "to",
        "cuda",
        "cpu",
        "eval",
        "train",
        "half",
        "bfloat16",
        "float",
        "double",
        "requires_grad_",
        "share_memory",
        "to_empty",
        "apply",
        "type",
        "xpu",
    )
)
MAX_DEPTH = 12

Options = dict[str, "str | bool | int | None"]


@dataclass(frozen=True, slots=True)
class Scope:
    """Where an expression stands: file, unit, class of the unit, and the unit's locals."""

    path: str
    unit: str = ""
    owner: str | None = None  # symbol of the class, for a method
    function: FunctionIndex | None = None
    locals: Mapping[str, tuple[LocalSketch, ...]] = field(default_factory=dict)


@dataclass(slots=True)
class Thing:
    """``kind``: instance, class, function, nested, lambda, compiler, factory, external.

    ``symbol`` is the class (instance, class; for a function the class its ``self`` is), or the
    dotted name of something external. ``options`` are those a compiler was given.
    """

    kind: str
    symbol: str | None = None
    path: str = ""
    qualname: str = ""
    sketch: ir.Lambda | None = None
    options: Options = field(default_factory=dict)


class Targets:
    """The evaluator; holds no state but the program."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def of(self, expr: ir.Expr | None, scope: Scope, depth: int = 0) -> list[Thing]:
        """Everything ``expr`` may be."""
        if expr is None or depth > MAX_DEPTH:
            return []
        if isinstance(expr, ir.Name):
            return self._name(expr, scope, depth)
        if isinstance(expr, ir.Attribute):
            return self._attribute(expr, scope, depth)
        if isinstance(expr, ir.Call):
            return self._call(expr, scope, depth)
        if isinstance(expr, ir.Lambda):
            return [Thing("lambda", scope.owner, scope.path, _inside(scope.unit, "<lambda>"), expr)]
        if isinstance(expr, ir.IfExp):
            return self.of(expr.body, scope, depth + 1) + self.of(expr.orelse, scope, depth + 1)
        if isinstance(expr, ir.BoolOp):
            return [x for v in expr.values for x in self.of(v, scope, depth + 1)]
        if isinstance(expr, ir.Walrus):
            return self.of(expr.value, scope, depth + 1)
        return []

    def scope_of(self, path: str, qualname: str) -> Scope:
        """The scope inside a unit-level function, with the locals its index keeps."""
        index = self.program.file(path)
        function = None if index is None else index.functions.get(qualname)
        if index is None or function is None:
            return Scope(path)
        if function.owner is None:
            return Scope(path, qualname, None, function)
        table: dict[str, tuple[LocalSketch, ...]] = {}
        owner = index.classes.get(function.owner)
        for sketch in owner.locals.get(qualname, ()) if owner is not None else ():
            table[sketch.name] = (*table.get(sketch.name, ()), sketch)
        symbol = self.program.classes.symbol(path, function.owner)
        return Scope(path, qualname, symbol, function, table)

    # ------------------------------------------------------------ forms

    def _name(self, expr: ir.Name, scope: Scope, depth: int) -> list[Thing]:
        if expr.scope == "global":
            return self._symbols(self.program.resolve_all(scope.path, expr.name), depth)
        out: list[Thing] = []
        for sketch in scope.locals.get(expr.name, ()):
            if sketch.op == "":
                out.extend(self.of(sketch.value, scope, depth + 1))
        function = scope.function
        if function is not None:
            for i, param in enumerate(function.params):
                if param.name != expr.name:
                    continue
                if i == 0 and scope.owner is not None:
                    kind = self.program.classes.method_kind(scope.path, function)
                    if kind == "method":
                        out.append(Thing("instance", scope.owner))
                    elif kind == "class":
                        out.append(Thing("class", scope.owner))
                out.extend(self._annotated(param.annotation, scope.path))
                return out
        if not out and scope.function is not None and expr.name not in scope.locals:
            out.append(Thing("nested", scope.owner, scope.path, _inside(scope.unit, expr.name)))
        return out

    def _annotated(self, annotation: ir.Expr | None, path: str) -> list[Thing]:
        """Instances of the classes an annotation names."""
        if annotation is None:
            return []
        if type(annotation) is ir.Const and isinstance(annotation.value, str):
            names = re.findall(r"[^\W\d][\w.]*", annotation.value)  # 'Optional[Net]', 'Net | None'
            symbols = tuple(s for n in names for s in self.program.resolve_all(path, n.rstrip(".")))
        elif type(annotation) is ir.Subscript:  # Optional[Net]
            return self._annotated(annotation.index, path)
        elif type(annotation) is ir.Binary:  # Net | None
            return self._annotated(annotation.left, path) + self._annotated(annotation.right, path)
        else:
            symbols = self.program.resolve_expr(path, annotation)
        return [Thing("instance", s.symbol) for s in symbols if type(s) is ClassSymbol]

    def _symbols(self, symbols: tuple[Symbol, ...], depth: int) -> list[Thing]:
        out: list[Thing] = []
        for symbol in symbols:
            if type(symbol) is FunctionSymbol:
                out.append(Thing("function", None, symbol.path, symbol.qualname))
            elif type(symbol) is ClassSymbol:
                out.append(Thing("class", symbol.symbol))
            elif type(symbol) is VariableSymbol:
                for sketch in symbol.sketches:
                    out.extend(self.of(sketch, Scope(symbol.path), depth + 1))
            elif type(symbol) is ExternalSymbol:
                if symbol.name in COMPILERS:
                    out.append(Thing("compiler"))
                elif symbol.name in COMPILER_FACTORIES:
                    strict: Options = {"fullgraph": True} if symbol.name.endswith("assert") else {}
                    out.append(Thing("factory", options=strict))
                else:
                    out.append(Thing("external", symbol.name))
        return out

    def _attribute(self, expr: ir.Attribute, scope: Scope, depth: int) -> list[Thing]:
        symbols = self.program.resolve_expr(scope.path, expr)
        if symbols:
            found = self._symbols(symbols, depth)
            for thing in found:  # Net.step: its self is a Net
                if thing.kind == "function" and "." in thing.qualname and thing.symbol is None:
                    for base in self.of(expr.base, scope, depth + 1):
                        if base.kind == "class":
                            thing.symbol = base.symbol
            return found
        out: list[Thing] = []
        for base in self.of(expr.base, scope, depth + 1):
            if base.kind == "external" and base.symbol is not None:
                out.append(Thing("external", f"{base.symbol}.{expr.attr}"))
            if base.kind not in ("instance", "class") or base.symbol is None:
                continue
            method = self.program.classes.find_method(base.symbol, expr.attr)
            if method is not None:
                if method.kind not in ("property", "cached-property"):
                    out.append(Thing("function", base.symbol, method.path, method.qualname))
                continue
            for info, sketch in self.program.classes.attribute_sketches(base.symbol, expr.attr):
                if sketch.op not in ("", "add_module", "setattr"):
                    continue
                inner = self.scope_of(info.path, sketch.method) if sketch.method else Scope(info.path)
                out.extend(self.of(sketch.value, inner, depth + 2))
        return out

    def _call(self, expr: ir.Call, scope: Scope, depth: int) -> list[Thing]:
        func = expr.func
        if type(func) is ir.Attribute and func.attr in _CHAINED:
            base = self.of(func.base, scope, depth + 1)
            if any(b.kind == "instance" for b in base):
                return base
        out: list[Thing] = []
        for thing in self.of(func, scope, depth + 1):
            if thing.kind == "class":
                out.append(Thing("instance", thing.symbol))
            elif thing.kind == "compiler":
                target = _first(expr, "model")
                options = {**thing.options, **options_of(expr)}
                if target is None:
                    out.append(Thing("compiler", options=options))
                else:
                    out.extend(self.of(target, scope, depth + 1))
            elif thing.kind == "factory":
                given = options_of(expr)
                backend = _first(expr, "backend")
                if type(backend) is ir.Const and isinstance(backend.value, str):
                    given["backend"] = backend.value
                if given.pop("nopython", None) is True:
                    given["fullgraph"] = True
                out.append(Thing("compiler", options={**thing.options, **given}))
            elif thing.kind == "external":
                out.extend(self._external(thing.symbol or "", expr, scope, depth))
            elif thing.kind == "function":
                function = self.program.function(FunctionSymbol(thing.path, thing.qualname))
                if function is not None:
                    out.extend(self._annotated(function.returns, thing.path))
        return out

    def _external(self, name: str, expr: ir.Call, scope: Scope, depth: int) -> list[Thing]:
        if name in _SAME:
            found = self.of(_first(expr, "module"), scope, depth + 1)
            if name == "functools.partial":
                for thing in found:
                    if thing.kind in ("compiler", "factory"):
                        thing.options = {**thing.options, **options_of(expr)}
            return found
        if name in _CONTAINERS:
            out: list[Thing] = []
            for argument in expr.args:
                value = argument.value
                items = value.items if type(value) is ir.Sequence else (value,)
                for item in items:
                    out.extend(t for t in self.of(item, scope, depth + 1) if t.kind == "instance")
            return out
        if self.program.classes.is_module_class(name):
            return [Thing("instance", name)]
        return []


def options_of(call: ir.Call) -> Options:
    """The keyword arguments of a call that are constants; others are left out."""
    out: Options = {}
    for argument in call.args:
        if argument.keyword is not None and type(argument.value) is ir.Const:
            value = argument.value.value
            if value is None or isinstance(value, (str, bool, int)):
                out[argument.keyword] = value
    return out


def _first(call: ir.Call, keyword: str) -> ir.Expr | None:
    """The first argument, by position or by this keyword."""
    for argument in call.args:
        if argument.star:
            continue
        if argument.keyword is None or argument.keyword == keyword:
            return argument.value
    return None


def _inside(unit: str, name: str) -> str:
    return f"{unit}.<locals>.{name}" if unit else name

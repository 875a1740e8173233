"""Compile roots: the functions torch.compile is, or is taken to be, applied to.

``modules``: forward of every nn.Module subclass, and every explicit mark. ``marked``: the
marks alone. ``all``: besides, every function that has a tensor in its signature or names torch.
A class that inherits its forward is a root of its own only where it overrides something the
inherited code may call. Functions under `torch.compiler.disable` are none. Forward and backward
of an autograd.Function are reached through `.apply`, which inference follows.
"""

from __future__ import annotations

from torch_compile_lint.facts import ir
from torch_compile_lint.facts.index_ir import CompileMark, FileIndex, FunctionIndex
from torch_compile_lint.program.link import Program
from torch_compile_lint.program.symbols import ExternalSymbol, FunctionSymbol
from torch_compile_lint.program.targets import DISABLERS, Options, Scope, Targets, Thing, options_of
from torch_compile_lint.records import dataclass, field, replace

MODES = ("modules", "marked", "all")
# Overriding one of these changes nothing that forward runs.
_NOT_CALLED = frozenset(
    (
        "__init__",
        "__new__",
        "__repr__",
        "__str__",
        "__setstate__",
        "__getstate__",
        "extra_repr",
        "reset_parameters",
        "init_weights",
        "_init_weights",
        "_reset_parameters",
        "load_state_dict",
        "state_dict",
        "train",
        "no_weight_decay",
        "group_matcher",
        "from_pretrained",
        "from_config",
    )
)


@dataclass(frozen=True, slots=True)
class Root:
    """One compile root.

    ``kind``: forward (of a module class), function, method, nested ('f.<locals>.g'), lambda.
    ``owner`` is the symbol of the class ``self`` is an instance of. ``home`` is the file the root
    belongs to (that of the owner class, else of the function); ``sketch`` the lambda, with
    absolute spans. ``mark_path``/``mark_line`` say what makes it a root: the compile call or
    decorator, else the class itself; ``marked`` tells them apart.
    """

    path: str
    qualname: str
    owner: str | None
    home: str
    kind: str
    mark_path: str
    mark_line: int
    marked: bool = False
    fullgraph: bool = False
    dynamic: bool | None = None
    mode: str | None = None
    backend: str | None = None
    sketch: ir.Lambda | None = field(default=None, compare=False)

    @property
    def key(self) -> tuple[str, str, str, int]:
        """What makes two roots the same."""
        return (self.path, self.qualname, self.owner or "", self.sketch.start if self.sketch else -1)


def find_roots(program: Program, mode: str = "modules") -> tuple[Root, ...]:
    """All roots of the program's own files, by file and line."""
    finder = _Finder(program)
    for index in program.files.values():
        finder.marks(index)
        finder.decorated(index)
    if mode != "marked":
        finder.modules()
    if mode == "all":
        for index in program.files.values():
            finder.tensor_functions(index)
    return tuple(sorted(finder.found.values(), key=lambda r: (r.home, r.mark_path, r.mark_line, r.qualname)))


def is_disabled(program: Program, path: str, function: FunctionIndex) -> bool:
    """True under `@torch.compiler.disable` in any spelling."""
    for decorator in function.decorators:
        expr = decorator.func if type(decorator) is ir.Call else decorator
        for symbol in program.resolve_expr(path, expr):
            if type(symbol) is ExternalSymbol and symbol.name in DISABLERS:
                return True
    return False


class _Finder:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.targets = Targets(program)
        self.found: dict[tuple[str, str, str, int], Root] = {}
        self._compiling: dict[tuple[str, str], Options | None] = {}

    # ------------------------------------------------------------ explicit marks

    def marks(self, index: FileIndex) -> None:
        for mark in index.marks:
            scope = self._scope(index, mark)
            for options, target in self._compiled(mark.call, scope):
                for thing in self.targets.of(target, scope):
                    self._add_thing(thing, options, index.path, mark.line)

    def _scope(self, index: FileIndex, mark: CompileMark) -> Scope:
        if mark.scope in index.classes:
            return Scope(index.path, "", self.program.classes.symbol(index.path, mark.scope))
        scope = self.targets.scope_of(index.path, mark.scope)
        return replace(scope, locals={**scope.locals, **mark.locals})

    def _compiled(self, call: ir.Call, scope: Scope) -> list[tuple[Options, ir.Expr]]:
        """(options, what is compiled) of one call, if it compiles anything."""
        out: list[tuple[Options, ir.Expr]] = []
        func = call.func
        given = options_of(call)
        if type(func) is ir.Attribute and func.attr == "compile":
            for thing in self.targets.of(func.base, scope):
                if thing.kind == "instance" and self._is_module(thing.symbol):
                    return [(given, func.base)]
        for thing in self.targets.of(func, scope):
            if thing.kind != "compiler":
                continue
            for argument in call.args:
                if not argument.star and argument.keyword in (None, "model"):
                    out.append(({**thing.options, **given}, argument.value))
                    break
        return out

    def decorated(self, index: FileIndex) -> None:
        for function in index.functions.values():
            for decorator in function.decorators:
                options = self._decorator_options(decorator, index.path)
                if options is None:
                    continue
                owner = None
                if function.owner is not None:
                    owner = self.program.classes.symbol(index.path, function.owner)
                thing = Thing("function", owner, index.path, function.qualname)
                self._add_thing(thing, options, index.path, function.line)

    def _decorator_options(self, decorator: ir.Expr, path: str) -> Options | None:
        """The options a decorator compiles with; None where it does not compile."""
        for thing in self.targets.of(decorator, Scope(path)):
            if thing.kind == "compiler":
                return thing.options
        expr = decorator.func if type(decorator) is ir.Call else decorator
        for symbol in self.program.resolve_expr(path, expr):
            if type(symbol) is FunctionSymbol and "." not in symbol.qualname:
                return self._compiling_function(symbol)
        return None

    def _compiling_function(self, symbol: FunctionSymbol) -> Options | None:
        """Options of a function of the program that compiles one of its own parameters."""
        key = (symbol.path, symbol.qualname)
        if key in self._compiling:
            return self._compiling[key]
        self._compiling[key] = None
        index, function = self.program.file(symbol.path), self.program.function(symbol)
        if index is None or function is None:
            return None
        # A decorator factory compiles the parameter of a nested function: any local will do.
        for mark in index.marks:
            if mark.scope != symbol.qualname:
                continue
            for options, target in self._compiled(mark.call, self._scope(index, mark)):
                if type(target) is ir.Name and target.scope == "local" and target.name not in mark.locals:
                    self._compiling[key] = options
                    return options
        return None

    # ------------------------------------------------------------ modules and functions

    def modules(self) -> None:
        classes = self.program.classes
        for info in classes.all():
            if not classes.is_module_class(info.symbol):
                continue
            method = classes.find_method(info.symbol, "forward")
            if method is None:
                method = classes.find_method(info.symbol, "__call__")
            if method is None or method.external or method.kind != "method":
                continue
            if method.owner != info.symbol and not self._overrides(info.symbol, method.owner):
                continue
            if is_disabled(self.program, method.path, method.index):
                continue
            root = Root(
                path=method.path,
                qualname=method.qualname,
                owner=info.symbol,
                home=info.path,
                kind="forward",
                mark_path=info.path,
                mark_line=info.index.line if method.owner != info.symbol else method.index.line,
            )
            self.found.setdefault(root.key, root)

    def _overrides(self, symbol: str, base: str) -> bool:
        """True when a class between ``symbol`` and ``base`` replaces a method forward may call."""
        classes = self.program.classes
        for name in classes.own_methods(symbol):
            if name not in _NOT_CALLED and classes.find_method(symbol, name, after=symbol) is not None:
                return True
        return False

    def tensor_functions(self, index: FileIndex) -> None:
        for function in index.functions.values():
            if function.overload or (function.name.startswith("__") and function.name != "__call__"):
                continue
            annotated = any(_mentions_tensor(p.annotation) for p in function.params)
            if not annotated and not function.speaks_of_torch:
                continue
            if is_disabled(self.program, index.path, function):
                continue
            owner = None
            if function.owner is not None:
                owner = self.program.classes.symbol(index.path, function.owner)
            kind = "function" if owner is None else "method"
            root = Root(index.path, function.qualname, owner, index.path, kind, index.path, function.line)
            self.found.setdefault(root.key, root)

    # ------------------------------------------------------------ adding

    def _is_module(self, symbol: str | None) -> bool:
        return symbol is not None and self.program.classes.is_module_class(symbol)

    def _add_thing(self, thing: Thing, options: Options, mark_path: str, line: int) -> None:
        path, qualname, owner, kind = thing.path, thing.qualname, thing.symbol, thing.kind
        if kind in ("instance", "class"):
            method = None
            if owner is not None and (kind == "instance" or self._is_module(owner)):
                name = "forward" if self._is_module(owner) else "__call__"
                method = self.program.classes.find_method(owner, name)
            if method is None:
                return
            path, qualname, kind = method.path, method.qualname, "forward"
        elif kind == "function":
            kind = "function" if owner is None else "method"
            if owner is not None and qualname.endswith(".forward") and self._is_module(owner):
                kind = "forward"
        elif kind not in ("nested", "lambda"):
            return
        if path not in self.program.files:
            return
        if kind in ("function", "method", "forward"):
            function = self.program.files[path].functions.get(qualname)
            if function is None or is_disabled(self.program, path, function):
                return
        home = path
        info = self.program.classes.info(owner) if owner is not None else None
        if info is not None and info.path in self.program.files:
            home = info.path
        dynamic = options.get("dynamic")
        root = Root(
            path=path,
            qualname=qualname,
            owner=owner,
            home=home,
            kind=kind,
            mark_path=mark_path,
            mark_line=line,
            marked=True,
            fullgraph=options.get("fullgraph") is True,
            dynamic=dynamic if isinstance(dynamic, bool) else None,
            mode=_text(options.get("mode")),
            backend=_text(options.get("backend")),
            sketch=thing.sketch,
        )
        earlier = self.found.get(root.key)
        if earlier is not None and earlier.marked:
            # Compiled twice: the stricter call decides what a break costs.
            if root.fullgraph and not earlier.fullgraph:
                self.found[root.key] = root
            return
        self.found[root.key] = root


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _mentions_tensor(annotation: ir.Expr | None) -> bool:
    """True when an annotation names a tensor type anywhere."""
    if isinstance(annotation, ir.Name):
        return annotation.name.endswith("Tensor")
    if isinstance(annotation, ir.Attribute):
        return annotation.attr.endswith("Tensor")
    if isinstance(annotation, ir.Const):
        return isinstance(annotation.value, str) and "Tensor" in annotation.value
    if isinstance(annotation, ir.Subscript):
        return _mentions_tensor(annotation.base) or _mentions_tensor(annotation.index)
    if isinstance(annotation, ir.Binary):
        return _mentions_tensor(annotation.left) or _mentions_tensor(annotation.right)
    if isinstance(annotation, ir.Sequence):
        return any(_mentions_tensor(i) for i in annotation.items)
    return False

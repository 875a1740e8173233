"""Classes of the program: bases across files, method resolution, attributes.

A class is named by its symbol, 'package.module.Outer.Inner'. Where two files share a module
name, or a file has none, the path is part of the symbol, so that symbols stay unique.
External classes are symbols too; their bases are read from their package when it is
installed, else taken from what their name says (``canonical``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch_compile_lint.facts import ir
from torch_compile_lint.facts.index_ir import AttributeSketch, FileIndex, FunctionIndex
from torch_compile_lint.program.canonical import canonical, external_is_module, looks_like_module
from torch_compile_lint.program.symbols import (
    ClassInfo,
    ClassSymbol,
    ExternalSymbol,
    FunctionSymbol,
    MethodRef,
    VariableSymbol,
)

if TYPE_CHECKING:
    from torch_compile_lint.program.link import Program

MODULE = "torch.nn.Module"
AUTOGRAD_FUNCTION = "torch.autograd.Function"
UNKNOWN_BASE = "?"

MAX_SEARCH = 40  # files of another package read to find one class
MAX_STARS = 12

_PROPERTIES = frozenset(
    (
        "builtins.property",
        "abc.abstractproperty",
        "torch.jit.unused_property",
        "functools.cached_property",
        "torch.utils._lazy_property",
    )
)


class ClassTable:
    """Look-ups over classes; all results are memoised."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._infos: dict[str, ClassInfo | None] = {}
        self._external_names: dict[str, str] = {}
        self._mros: dict[str, tuple[str, ...]] = {}
        self._attributes: dict[str, dict[str, tuple[AttributeSketch, ...]]] = {}
        self._methods: dict[tuple[str, str], MethodRef | None] = {}
        self._modules: dict[str, bool] = {}
        for index in program.files.values():
            for qualname, one in index.classes.items():
                symbol = self.symbol(index.path, qualname)
                self._infos[symbol] = ClassInfo(symbol, index.path, one)

    def symbol(self, path: str, qualname: str) -> str:
        """The symbol of a class of an indexed file."""
        index = self._program.file(path)
        module = "" if index is None else index.module
        if not module:
            return f"<{path}>.{qualname}"
        if path in self._program.files and self._program.is_duplicate(module):
            return f"{module}<{path}>.{qualname}"
        return f"{module}.{qualname}"

    def info(self, symbol: str) -> ClassInfo | None:
        """The class, also one of an installed package; None where it cannot be read."""
        if symbol in self._infos:
            return self._infos[symbol]
        real = self.canonical_class(symbol)
        found = self._infos.get(real)
        self._infos[symbol] = found
        return found

    def all(self) -> tuple[ClassInfo, ...]:
        """The classes of the program's own files."""
        files = self._program.files
        return tuple(i for i in self._infos.values() if i is not None and i.path in files)

    def nested(self, symbol: str, name: str) -> str | None:
        """The symbol of a class defined in the body of ``symbol`` or of a base."""
        for base in self.mro(symbol):
            inner = f"{base}.{name}"
            if self._infos.get(inner) is not None:
                return inner
        return None

    # ------------------------------------------------------------ bases

    def mro(self, symbol: str) -> tuple[str, ...]:
        """The class and its bases in method resolution order; external ones by canonical name.

        ``UNKNOWN_BASE`` stands for a base that is no name. Where the bases have no consistent
        order, they come depth first.
        """
        known = self._mros.get(symbol)
        if known is not None:
            return known
        self._mros[symbol] = (symbol,)  # what a cyclic inheritance sees
        bases = self.bases(symbol)
        lists = [list(self.mro(b)) for b in bases]
        order = _merge([*lists, list(bases)])
        if order is None:
            order = list(dict.fromkeys(b for one in lists for b in one))
        result = (symbol, *[b for b in order if b != symbol])
        self._mros[symbol] = result
        return result

    def bases(self, symbol: str) -> tuple[str, ...]:
        """Symbols of the direct bases."""
        info = self.info(symbol)
        if info is None:
            real = self.canonical_class(symbol)
            if real != symbol:
                return (real,)
            return (MODULE,) if symbol != MODULE and self._named_module(symbol) else ()
        out: list[str] = []
        for base in info.index.bases:
            for one in self._base(info, base):
                if one not in out and one != symbol:
                    out.append(one)
        return tuple(out)

    def is_subclass(self, symbol: str, base: str) -> bool | None:
        """Whether a class is ``base`` or derives from it; None where a base is unknown."""
        order = self.mro(symbol)
        if base in order:
            return True
        if UNKNOWN_BASE in order:
            return None
        # The last class of the chain may be external and unread: then it may derive from it.
        unread = [s for s in order if self.info(s) is None and not _is_closed(s)]
        return None if unread else False

    def is_module_class(self, symbol: str) -> bool:
        """True for torch.nn.Module and everything that derives from it, as far as known."""
        known = self._modules.get(symbol)
        if known is None:
            known = any(s == MODULE or external_is_module(s) for s in self.mro(symbol))
            self._modules[symbol] = known
        return known

    def metaclass_call(self, symbol: str) -> str | None:
        """The metaclass that decides what calling the class does, where one defines ``__call__``."""
        for one in self.mro(symbol):
            info = self.info(one)
            for keyword, expr in info.index.keywords if info is not None else ():
                if keyword == "metaclass" and info is not None:
                    for meta in self._base(info, expr):
                        if self.info(meta) is not None and self.find_method(meta, "__call__") is not None:
                            return meta
        return None

    def is_autograd_function(self, symbol: str) -> bool:
        """True for a subclass of torch.autograd.Function."""
        return AUTOGRAD_FUNCTION in self.mro(symbol)

    def _named_module(self, symbol: str) -> bool:
        return external_is_module(symbol) or looks_like_module(symbol)

    def _base(self, info: ClassInfo, expr: ir.Expr, depth: int = 0) -> list[str]:
        if depth > 5:
            return [UNKNOWN_BASE]
        if type(expr) is ir.Subscript:  # Generic[T], Base[int]
            return self._base(info, expr.base, depth + 1)
        if type(expr) is ir.IfExp:
            both = (expr.body, expr.orelse)
            return [s for e in both for s in self._base(info, e, depth + 1)]
        found: list[str] = []
        symbols = self._program.resolve_expr(info.path, expr)
        if not symbols and type(expr) is ir.Name and "." in info.index.qualname:
            outer = info.symbol.rpartition(".")[0]  # a class beside this one in the same class body
            inner = self.nested(outer, expr.name) if self._infos.get(outer) is not None else None
            if inner is not None:
                return [inner]
        for one in symbols:
            if type(one) is ClassSymbol:
                found.append(one.symbol)
            elif type(one) is ExternalSymbol:
                found.append(self.canonical_class(one.name))
            elif type(one) is VariableSymbol:
                for sketch in one.sketches:
                    where = ClassInfo(info.symbol, one.path, info.index)
                    found.extend(self._base(where, sketch, depth + 1))
        # A fallback of a conditional import (`Base = object`) is no second base.
        if len(found) > 1:
            modules = [s for s in found if s != info.symbol and self.is_module_class(s)]
            found = modules[:1] or found[:1]
        return found or [UNKNOWN_BASE]

    def canonical_class(self, name: str) -> str:
        """The symbol of an external class: of its definition, where its package can be read."""
        known = self._external_names.get(name)
        if known is None:
            self._external_names[name] = name  # what a cycle of re-exports sees
            known = self._external_names[name] = self._external(name)
        return known

    def _external(self, symbol: str) -> str:
        """Find a class of another package, following its re-exports."""
        if symbol.startswith(("torch.", "builtins.", "<", "?")) or "." not in symbol:
            return symbol  # torch's own classes are data; reading its source would cost much
        module, _, name = symbol.rpartition(".")
        index = self._program.external_file(module)
        found = None if index is None else self._search(index, name, set())
        return symbol if found is None else found

    def _search(self, index: FileIndex, name: str, seen: set[tuple[str, str]]) -> str | None:
        if (index.path, name) in seen:
            return None
        seen.add((index.path, name))
        if name in index.classes:
            for qualname, one in index.classes.items():
                symbol = self.symbol(index.path, qualname)
                if self._infos.get(symbol) is None:
                    self._infos[symbol] = ClassInfo(symbol, index.path, one, external=True)
            return self.symbol(index.path, name)
        program = self._program
        if len(seen) > MAX_SEARCH:
            return None
        sources = [(b.module, b.attr) for b in index.imports if b.local == name and b.attr is not None]
        stars = index.star_imports
        if len(stars) > MAX_STARS:
            # A package of hundreds of models re-exports each: follow those whose name is in ours.
            stars = tuple(s for s in stars if _is_akin(s, name))
        sources.extend([(star, name) for star in stars])
        for module, attr in sources:
            if module.partition(".")[0] == "torch":
                if module not in stars:
                    return canonical(f"{module}.{attr}")
                continue
            inner = program.external_file(module)
            if inner is not None:
                found = self._search(inner, attr, seen)
                if found is not None:
                    return found
        return None

    # ------------------------------------------------------------ methods

    def find_method(self, symbol: str, name: str, after: str | None = None) -> MethodRef | None:
        """The method that ``instance.name`` finds; with ``after``, that ``super().name`` finds
        in a method of the class ``after`` (on an instance of ``symbol``).
        """
        key = (symbol, name if after is None else f"{name} {after}")
        if key in self._methods:
            return self._methods[key]
        self._methods[key] = None
        order = self.mro(symbol)
        if after is not None:
            if after not in order:
                order = self.mro(after)
            order = order[order.index(after) + 1 :] if after in order else ()
        found: MethodRef | None = None
        for one in order:
            info = self.info(one)
            if info is None:
                continue
            found = self._own_method(info, name)
            if found is not None:
                break
        self._methods[key] = found
        return found

    def own_methods(self, symbol: str) -> tuple[str, ...]:
        """Names of the methods in a class's own body."""
        info = self.info(symbol)
        return () if info is None else tuple(info.index.methods)

    def _own_method(self, info: ClassInfo, name: str) -> MethodRef | None:
        index = self._program.file(info.path)
        if index is None:
            return None
        qualname = info.index.methods.get(name)
        if qualname is not None:
            function = index.functions[qualname]
            kind = self.method_kind(info.path, function)
            return MethodRef(info.path, qualname, info.symbol, kind, function, info.external)
        for sketch in info.index.attributes:
            # `forward = _forward_impl` in the class body
            if sketch.name != name or sketch.method or sketch.value is None:
                continue
            value = sketch.value
            if type(value) is ir.Name and value.name != name and value.name in info.index.methods:
                return self._own_method(info, value.name)
            for symbol in self._program.resolve_expr(info.path, value):
                if type(symbol) is FunctionSymbol:
                    function_index = self._program.function(symbol)
                    if function_index is not None:
                        return MethodRef(
                            symbol.path,
                            symbol.qualname,
                            info.symbol,
                            "method",
                            function_index,
                            info.external,
                        )
        return None

    def method_kind(self, path: str, function: FunctionIndex) -> str:
        """method, static, class, property or cached-property, by the decorators."""
        for decorator in function.decorators:
            for symbol in self._program.resolve_expr(path, decorator):
                if type(symbol) is not ExternalSymbol:
                    continue
                name = symbol.name
                if name == "builtins.staticmethod":
                    return "static"
                if name == "builtins.classmethod":
                    return "class"
                if name == "functools.cached_property":
                    return "cached-property"
                if name in _PROPERTIES or name.endswith("property"):
                    return "property"
        if function.name in ("__new__",):
            return "static"
        return "class" if function.name in ("__init_subclass__", "__class_getitem__") else "method"

    # ------------------------------------------------------------ attributes

    def attribute_sketches(self, symbol: str, name: str) -> tuple[tuple[ClassInfo, AttributeSketch], ...]:
        """Everything stored under an attribute by the class and its bases, derived classes first."""
        out: list[tuple[ClassInfo, AttributeSketch]] = []
        for one in self.mro(symbol):
            info = self.info(one)
            if info is not None:
                out.extend([(info, s) for s in self._own_attributes(info).get(name, ())])
        return tuple(out)

    def instance_attributes(self, symbol: str) -> tuple[str, ...]:
        """Names stored on instances or in the class body, bases included."""
        names: dict[str, None] = {}
        for one in self.mro(symbol):
            info = self.info(one)
            if info is not None:
                names.update(dict.fromkeys(self._own_attributes(info)))
        return tuple(names)

    def _own_attributes(self, info: ClassInfo) -> dict[str, tuple[AttributeSketch, ...]]:
        known = self._attributes.get(info.symbol)
        if known is None:
            table: dict[str, list[AttributeSketch]] = {}
            for sketch in info.index.attributes:
                table.setdefault(sketch.name, []).append(sketch)
            known = self._attributes[info.symbol] = {k: tuple(v) for k, v in table.items()}
        return known


def _is_akin(module: str, name: str) -> bool:
    """True when a module's last part ('bert_generation') begins or ends in a class's name."""
    last = module.rpartition(".")[2].replace("modeling_", "").replace("_", "")
    return bool(last) and last in name.lower()


def _merge(lists: list[list[str]]) -> list[str] | None:
    """C3 linearisation; None where there is none."""
    out: list[str] = []
    lists = [list(one) for one in lists if one]
    while lists:
        for one in lists:
            head = one[0]
            if not any(head in other[1:] for other in lists):
                break
        else:
            return None
        out.append(head)
        lists = [[s for s in one if s != head] for one in lists]
        lists = [one for one in lists if one]
    return out


def _is_closed(symbol: str) -> bool:
    """True for an external class whose bases are known without reading it."""
    return symbol.startswith(("torch.", "builtins.", "abc.", "enum.", "typing.", "collections."))

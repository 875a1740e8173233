"""Names as values: what the symbols of the linked program stand for in inference.

Every look-up notes the files it consulted with the analyzer, so that a result knows what it
rests on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch_compile_lint.facts import ir
from torch_compile_lint.facts.index_ir import FunctionIndex
from torch_compile_lint.program import transfer
from torch_compile_lint.program.annotations import simple_class
from torch_compile_lint.program.lattice import container, join_all
from torch_compile_lint.program.symbols import (
    ClassInfo,
    ClassSymbol,
    ExternalSymbol,
    FunctionSymbol,
    ModuleSymbol,
    Symbol,
    VariableSymbol,
)
from torch_compile_lint.program.transfer_version import CLASSES, OF_TORCH, version
from torch_compile_lint.program.values import (
    FALSE,
    NONE,
    UNKNOWN,
    ClassRef,
    Function,
    Instance,
    PyModule,
    Value,
    opaque,
    tensor,
)

if TYPE_CHECKING:
    from torch_compile_lint.program.infer import Analyzer

_ENUMS = frozenset({"enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag"})
_CONTAINER_CLASSES = {
    "builtins.list": "list",
    "builtins.tuple": "tuple",
    "builtins.dict": "dict",
    "builtins.set": "set",
    "builtins.frozenset": "set",
    "collections.OrderedDict": "dict",
    "collections.defaultdict": "dict",
    "collections.deque": "list",
    "collections.abc.Sequence": "list",
    "collections.abc.Mapping": "dict",
    "collections.abc.Iterable": "list",
    "typing.Sequence": "list",
    "typing.Mapping": "dict",
    "typing.List": "list",
    "typing.Tuple": "tuple",
    "typing.Dict": "dict",
}


class Names:
    """Symbols of one program as values."""

    def __init__(self, analyzer: Analyzer, program: Any) -> None:
        self._analyzer = analyzer
        self._program = program
        self._globals: dict[tuple[str, str], tuple[Value, set[tuple[str, str, str]]]] = {}
        self._open: set[tuple[str, str]] = set()
        self._orders: dict[str, tuple[tuple[str, ...], set[tuple[str, str, str]]]] = {}
        self._members: dict[tuple[str, str, str], tuple[Value, set[tuple[str, str, str]]]] = {}

    # ------------------------------------------------------------ files and functions

    def module_of(self, path: str) -> str:
        """The dotted name of a file."""
        index = self._program.file(path)
        return "" if index is None else index.module

    def function_index(self, path: str, qualname: str) -> FunctionIndex | None:
        """The index entry of a unit-level function."""
        index = self._program.file(path)
        return None if index is None else index.functions.get(qualname)

    def is_ours(self, path: str) -> bool:
        """True for a file under analysis, not one of another package."""
        return path in self._program.files

    def class_symbol(self, path: str, qualname: str) -> str:
        """The symbol of a class of a file."""
        return str(self._program.classes.symbol(path, qualname))

    # ------------------------------------------------------------ names

    def global_value(self, path: str, name: str) -> Value:
        """What a global (or builtin) name of a file stands for."""
        key = (path, name)
        known = self._globals.get(key)
        if known is not None:
            self._analyzer.deps |= known[1]
            return known[0]
        if key in self._open:
            self._analyzer.cuts += 1
            return UNKNOWN
        self._open.add(key)
        try:
            value, deps = self._analyzer.collecting(
                lambda: self._analyzer.quietly(lambda: self._resolve(path, name), UNKNOWN)
            )
        finally:
            self._open.discard(key)
        if not self._open or value != UNKNOWN:
            self._globals[key] = (value, deps)
        return value

    def _resolve(self, path: str, name: str) -> Value:
        self._analyzer.need_index(path)
        return self.of_symbols(self._program.resolve_all(path, name))

    def of_symbols(self, symbols: tuple[Symbol, ...]) -> Value:
        """The join of what each symbol stands for."""
        if not symbols:
            return UNKNOWN
        return join_all([self.of_symbol(s) for s in symbols])

    def of_symbol(self, symbol: Symbol) -> Value:
        """The value of one symbol."""
        if type(symbol) is FunctionSymbol:
            self._analyzer.need_index(symbol.path)
            return Value((Function(symbol.path, symbol.qualname),))
        if type(symbol) is ClassSymbol:
            self.class_info(symbol.symbol)
            return Value((ClassRef(symbol.symbol),))
        if type(symbol) is ModuleSymbol:
            if symbol.path is not None:
                self._analyzer.need_index(symbol.path)
            return Value((PyModule(symbol.name),))
        if type(symbol) is VariableSymbol:
            self._analyzer.need_index(symbol.path)
            parts = [self._analyzer.sketch(symbol.path, s) for s in symbol.sketches]
            out = join_all(parts)
            return out if out.atoms else UNKNOWN
        assert type(symbol) is ExternalSymbol
        return self.external(symbol.name)

    def external(self, name: str) -> Value:
        """What a dotted name outside the program stands for."""
        if name in ("typing.TYPE_CHECKING", "typing_extensions.TYPE_CHECKING"):
            return FALSE
        if name in OF_TORCH and self._analyzer.release:
            return version(f"{self._analyzer.release}.0")
        module, _, last = name.rpartition(".")
        if not module:
            return Value((PyModule(name),))
        if module != "builtins" and (
            self.is_module_class(name)
            or (not name.startswith("torch.") and name not in CLASSES and self.class_info(name) is not None)
        ):
            return Value((ClassRef(name),))
        return transfer.module_attribute(module, last)

    def module_attribute(self, near: str, module: str, name: str) -> Value:
        """``module.name`` of a Python module object."""
        key = (near, module, name)
        known = self._members.get(key)
        if known is not None:
            self._analyzer.deps |= known[1]
            return known[0]
        value, deps = self._analyzer.collecting(lambda: self._member(near, module, name))
        if not self._open:
            self._members[key] = (value, deps)
        return value

    def _member(self, near: str, module: str, name: str) -> Value:
        symbol = self._program.module(module, near)
        if type(symbol) is ExternalSymbol:
            return self.external(f"{symbol.name}.{name}")
        if type(symbol) is ModuleSymbol and symbol.path is not None:
            self._analyzer.need_index(symbol.path)
        return self.of_symbols(self._program.members(symbol, name, near))

    def imported(self, path: str, module: str | None, level: int, name: str, local: str) -> Value:
        """What an import statement inside a function binds to ``local``."""
        if module is None and level == 0:
            top = name if local != name.partition(".")[0] else local
            return self.of_symbol(self._program.module(top, path))
        index = self._program.file(path)
        if index is None:
            return UNKNOWN
        base = module or ""
        if level:
            parts = index.module.split(".") if index.module else []
            drop = level - (1 if index.is_package else 0)
            parts = parts[: len(parts) - drop] if drop <= len(parts) else []
            base = ".".join([*parts, *([module] if module else [])])
        return self.module_attribute(path, base, name) if base else UNKNOWN

    def resolve_type(self, path: str, name: str) -> tuple[str | None, tuple[str, ir.Expr] | None]:
        """A (dotted) name in an annotation or decorator: its symbol, or the expression it names."""
        self._analyzer.need_index(path)
        for symbol in self._program.resolve_all(path, name):
            if type(symbol) is ClassSymbol:
                self.class_info(symbol.symbol)
                return symbol.symbol, None
            if type(symbol) is ExternalSymbol:
                return symbol.name, None
            if type(symbol) is FunctionSymbol:
                return f"{self.module_of(symbol.path)}.{symbol.qualname}", None
            if type(symbol) is VariableSymbol and symbol.sketches:
                self._analyzer.need_index(symbol.path)
                return None, (symbol.path, symbol.sketches[0])
        return None, None

    # ------------------------------------------------------------ classes

    def class_info(self, symbol: str) -> ClassInfo | None:
        """A class whose source is indexed; None for torch's and what cannot be read."""
        info: ClassInfo | None = self._program.classes.info(symbol)
        if info is not None:
            self._analyzer.need_index(info.path)
        return info

    def mro(self, symbol: str) -> tuple[str, ...]:
        """The class and its bases."""
        known = self._orders.get(symbol)
        if known is None:
            order: tuple[str, ...] = self._program.classes.mro(symbol)
            infos = [self._program.classes.info(base) for base in order]
            known = (order, {("index", info.path, "") for info in infos if info is not None})
            self._orders[symbol] = known
        self._analyzer.deps |= known[1]
        return known[0]

    def metaclass_call(self, symbol: str) -> str | None:
        """The metaclass of a program's class, where it defines ``__call__``."""
        out: str | None = self._program.classes.metaclass_call(symbol)
        return out

    def is_module_class(self, symbol: str) -> bool:
        """True for an nn.Module class."""
        return bool(self._program.classes.is_module_class(symbol))

    def is_subclass(self, symbol: str, base: str) -> bool | None:
        """Whether a class is or derives from another; None when that is open."""
        if base in ("builtins.object", "typing.Any"):
            return True
        real = self._program.classes.canonical_class(base)
        answer: bool | None = self._program.classes.is_subclass(symbol, real)
        if answer is False and real.startswith(("typing.", "collections.abc.")):
            return None  # an abstract class: having its methods is enough
        return answer

    def external_base(self, symbol: str) -> str | None:
        """The first class of the resolution order that is not the program's own."""
        for base in self.mro(symbol):
            if self.class_info(base) is None:
                return None if base.startswith("?") else base
        return None

    def is_enum(self, symbol: str) -> bool:
        """True for a subclass of enum.Enum."""
        return any(b in _ENUMS for b in self.mro(symbol))

    def value_of_class(self, symbol: str) -> Value:
        """What an instance of a class is, when nothing but the class is known."""
        known = simple_class(symbol)
        if known is not None:
            return known
        if symbol in ("builtins.NoneType", "types.NoneType"):
            return NONE
        kind = _CONTAINER_CLASSES.get(symbol)
        if kind is not None:
            return container(kind, None, UNKNOWN)
        if self.class_info(symbol) is not None:
            order = self.mro(symbol)
            if "torch.Tensor" in order:
                return tensor()
            if self.is_enum(symbol):
                return opaque("enum")
            if "typing.TypedDict" in order or "typing_extensions.TypedDict" in order:
                return container("dict", None, UNKNOWN)
            if "typing.Protocol" in order:
                return UNKNOWN
            return Value((Instance(symbol, self.is_module_class(symbol)),))
        if self.is_module_class(symbol):
            return Value((Instance(symbol, True),))
        last = symbol.rpartition(".")[2]
        if symbol.startswith("torch.") and last[:1].isupper():
            return Value((Instance(symbol),))
        return UNKNOWN


__all__ = ["Names"]

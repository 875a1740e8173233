"""``Program``: file indexes joined into one table of names.

In: the indexes of the files under analysis and, optionally, a loader for other packages.
Out: what a name in a file stands for, across imports, re-exports, stars and cycles. Classes
are in ``classes``. Nothing is evaluated here: a variable resolves to its sketches.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import Any

from torch_compile_lint.facts import ir
from torch_compile_lint.facts.index_ir import FileIndex, FunctionIndex, ImportBinding
from torch_compile_lint.program.canonical import BUILTINS, canonical
from torch_compile_lint.program.classes import ClassTable
from torch_compile_lint.program.symbols import (
    ClassSymbol,
    ExternalSymbol,
    FunctionSymbol,
    ModuleSymbol,
    Symbol,
    VariableSymbol,
)

ExternalLoader = Callable[[str], "FileIndex | None"]


class Program:
    """The linked program. Look-ups are memoised; nothing is changed after construction."""

    def __init__(self, indexes: Iterable[FileIndex], external_loader: ExternalLoader | None = None) -> None:
        self.files: dict[str, FileIndex] = {}
        self.external_files: dict[str, FileIndex] = {}  # loaded from other packages, by path
        self._loader = external_loader
        self._by_module: dict[str, list[str]] = {}
        self._packages: set[str] = set()  # every dotted prefix of a module's name
        self._bindings: dict[str, dict[str, list[ImportBinding]]] = {}
        self._memo: dict[tuple[str, str], tuple[Symbol, ...]] = {}
        self._open: set[tuple[str, str]] = set()
        self._provisional: dict[tuple[str, str], tuple[Symbol, ...]] = {}  # found inside a circle
        self._cyclic = False
        self._external_memo: dict[str, FileIndex | None] = {}
        for index in indexes:
            self.files[index.path] = index
            if index.module:
                self._by_module.setdefault(index.module, []).append(index.path)
                name = index.module
                while name and name not in self._packages:
                    self._packages.add(name)
                    name = name.rpartition(".")[0]
        self.classes = ClassTable(self)

    # ------------------------------------------------------------ files and modules

    def file(self, path: str) -> FileIndex | None:
        """The index of a file of the program or of a package looked into."""
        found = self.files.get(path)
        return self.external_files.get(path) if found is None else found

    def function(self, symbol: FunctionSymbol) -> FunctionIndex | None:
        """The index entry of a function."""
        index = self.file(symbol.path)
        return None if index is None else index.functions.get(symbol.qualname)

    def module_path(self, module: str, near: str = "") -> str | None:
        """The file of a module of the program; of several, the one closest to ``near``."""
        paths = self._by_module.get(module)
        if not paths:
            return None
        if len(paths) == 1 or not near:
            return paths[0]
        return max(paths, key=lambda p: (_shared_folders(p, near), -len(p)))

    def is_duplicate(self, module: str) -> bool:
        """True where several files have this module name."""
        return len(self._by_module.get(module, ())) > 1

    def module(self, name: str, near: str = "") -> Symbol:
        """The symbol of ``import name``."""
        path = self.module_path(name, near)
        if path is not None or name in self._packages:
            return ModuleSymbol(name, path)
        if near and name.partition(".")[0] not in sys.stdlib_module_names:
            # A script's own folder comes first on its sys.path; a package's modules are no scripts.
            folder = os.path.dirname(near)
            index = self.files.get(near)
            package = "" if index is None else index.module.rpartition(".")[0]
            if package and os.path.join(folder, "__init__.py") not in self.files:
                beside = f"{package}.{name}"
                path = self.module_path(beside, near)
                if path is not None and os.path.dirname(path) == folder:
                    return ModuleSymbol(beside, path)
        return ExternalSymbol(canonical(name))

    def external_file(self, module: str) -> FileIndex | None:
        """The index of a module of another package, read when first asked for."""
        if self._loader is None:
            return None
        if module not in self._external_memo:
            index = self._loader(module)
            self._external_memo[module] = index
            if index is not None:
                self.external_files[index.path] = index
        return self._external_memo[module]

    # ------------------------------------------------------------ names

    def resolve(self, path: str, name: str) -> Symbol | None:
        """What a (dotted) name means at the module level of a file; the likeliest of several."""
        found = self.resolve_all(path, name)
        return found[0] if found else None

    def resolve_all(self, path: str, name: str) -> tuple[Symbol, ...]:
        """Everything a (dotted) name may mean: conditional imports bind a name more than once.

        Definitions of the file come first, then imports (those under TYPE_CHECKING last), then
        variables, stars and builtins. Empty for a name nothing binds.
        """
        head, _, rest = name.partition(".")
        symbols = self._lookup(path, head)
        if rest:
            # `import a.b, a.c`: the attributes are modules even where `a` has no such name.
            for part in rest.split("."):
                symbols = _unique(m for s in symbols for m in self.members(s, part, path))
        return symbols

    def resolve_expr(self, path: str, expr: ir.Expr) -> tuple[Symbol, ...]:
        """What `a`, `a.b` or `a.b.c` means at module level; empty for any other expression."""
        name = dotted_name(expr)
        return () if name is None else self.resolve_all(path, name)

    def absolute(self, name: str, near: str = "") -> tuple[Symbol, ...]:
        """What an absolute dotted name ('pkg.mod.Class') means."""
        parts = name.split(".")
        for cut in range(len(parts), 0, -1):
            module = ".".join(parts[:cut])
            if module in self._packages:
                symbols: tuple[Symbol, ...] = (self.module(module, near),)
                for part in parts[cut:]:
                    symbols = _unique(m for s in symbols for m in self.members(s, part, near))
                return symbols
        return (ExternalSymbol(canonical(name)),)

    def members(self, symbol: Symbol, name: str, near: str = "") -> tuple[Symbol, ...]:
        """What attribute ``name`` of a symbol may be; empty where that is not a matter of names."""
        if type(symbol) is ModuleSymbol:
            if symbol.path is not None:
                found = self._lookup(symbol.path, name, builtins=False)
                if found:
                    return found
            child = f"{symbol.name}.{name}"
            if child in self._packages:
                return (self.module(child, symbol.path or near),)
            return ()
        if type(symbol) is ExternalSymbol:
            return (ExternalSymbol(canonical(f"{symbol.name}.{name}")),)
        if type(symbol) is ClassSymbol:
            method = self.classes.find_method(symbol.symbol, name)
            if method is not None:
                return (FunctionSymbol(method.path, method.qualname),)
            nested = self.classes.nested(symbol.symbol, name)
            return (ClassSymbol(nested),) if nested is not None else ()
        if type(symbol) is VariableSymbol:
            out: list[Symbol] = []
            for sketch in symbol.sketches:
                for target in self.resolve_expr(symbol.path, sketch):
                    if target != symbol:
                        out.extend(self.members(target, name, near))
            return _unique(out)
        return ()

    def exported(self, path: str) -> tuple[str, ...]:
        """Names that `from module import *` takes from a file."""
        index = self.file(path)
        if index is None:
            return ()
        if index.exports is not None:
            return index.exports
        names = dict.fromkeys(n for n in index.functions if "." not in n and "#" not in n)
        names.update(dict.fromkeys(n for n in index.classes if "." not in n))
        names.update(dict.fromkeys(index.globals))
        names.update(dict.fromkeys(b.local for b in index.imports))
        return tuple(n for n in names if not n.startswith("_"))

    # ------------------------------------------------------------ inside

    def _lookup(self, path: str, name: str, builtins: bool = True) -> tuple[Symbol, ...]:
        key = (path, name) if builtins else (path, name + "!")
        known = self._memo.get(key)
        if known is None:
            known = self._provisional.get(key)
        if known is not None:
            return known
        if key in self._open:
            self._cyclic = True  # imports in a circle: what the other end adds is found from there
            return ()
        outermost = not self._open
        self._open.add(key)
        try:
            found = self._find(path, name, builtins)
        finally:
            self._open.discard(key)
        if outermost:
            self._memo[key] = found
            self._provisional.clear()
            self._cyclic = False
        elif self._cyclic:
            self._provisional[key] = found
        else:
            self._memo[key] = found
        return found

    def _find(self, path: str, name: str, builtins: bool) -> tuple[Symbol, ...]:
        index = self.file(path)
        if index is None:
            return ()
        out: list[Symbol] = []
        if name in index.classes:
            out.append(ClassSymbol(self.classes.symbol(path, name)))
        if name in index.functions:
            out.append(FunctionSymbol(path, name))
        bindings = self._imports(index).get(name, ())
        for binding in sorted(bindings, key=lambda b: b.typing_only):
            out.extend(self._imported(index, binding))
        if name in index.globals:
            out.append(VariableSymbol(path, name, index.globals[name]))
        if out:
            return _unique(out)
        for module in index.star_imports:
            out.extend(self._starred(index, module, name))
        if out:
            return _unique(out)
        if builtins and name in BUILTINS:
            return (ExternalSymbol(f"builtins.{name}"),)
        if not builtins:
            return ()
        for module in index.star_imports:
            # `from torch.nn import *`: its names are not ours to list, any of them may be meant.
            if type(self.module(module, path)) is ExternalSymbol:
                return (ExternalSymbol(canonical(f"{module}.{name}")),)
        return ()

    def _starred(self, index: FileIndex, module: str, name: str) -> tuple[Symbol, ...]:
        target = self.module(module, index.path)
        if type(target) is ModuleSymbol and target.path is not None and target.path != index.path:
            source = self.file(target.path)
            if source is None:
                return ()
            if source.exports is not None:
                if name not in source.exports:
                    return ()
            elif name.startswith("_"):
                return ()
            return self.members(target, name, index.path)
        return ()

    def _imported(self, index: FileIndex, binding: ImportBinding) -> tuple[Symbol, ...]:
        if binding.attr is None:
            return (self.module(binding.module, index.path),)
        target = self.module(binding.module, index.path)
        if type(target) is ModuleSymbol and target.path == index.path:
            # `from . import sub` in a package's own __init__
            child = f"{target.name}.{binding.attr}"
            if child in self._packages:
                return (self.module(child, index.path),)
            return ()
        return self.members(target, binding.attr, index.path)

    def _imports(self, index: FileIndex) -> dict[str, list[ImportBinding]]:
        table = self._bindings.get(index.path)
        if table is None:
            table = {}
            for binding in index.imports:
                table.setdefault(binding.local, []).append(binding)
            self._bindings[index.path] = table
        return table


def dotted_name(expr: Any) -> str | None:
    """'a.b.c' of a sketch that is a chain of names; None for any other, or a local's."""
    parts: list[str] = []
    while type(expr) is ir.Attribute:
        parts.append(expr.attr)
        expr = expr.base
    if type(expr) is not ir.Name or expr.scope != "global":
        return None
    parts.append(expr.name)
    return ".".join(reversed(parts))


def _shared_folders(a: str, b: str) -> int:
    count = 0
    for left, right in zip(os.path.dirname(a).split(os.sep), os.path.dirname(b).split(os.sep), strict=False):
        if left != right:
            break
        count += 1
    return count


def _unique(symbols: Iterable[Symbol]) -> tuple[Symbol, ...]:
    out: list[Symbol] = []
    for symbol in symbols:
        if symbol not in out:
            out.append(symbol)
    return tuple(out)
